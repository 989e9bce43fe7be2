package io.leaderstarter.simulation;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * The product, or what it is tested with, with a mistake in it.
 *
 * @param name what is wrong
 * @param edits changes of the source code that make it wrong
 */
record Mutant(String name, List<Edit> edits) {

	private static final String PRODUCT = "io/leaderstarter/";

	/**
	 * Run schedules with the mistake.
	 * @param first the first seed
	 * @param count how many at the most
	 * @param threads how many at once
	 * @return the history of a schedule that fails, {@code null} if there was none
	 */
	String find(long first, long count, int threads) throws Exception {
		Class<?> simulation = new Loader(compile()).loadClass(Simulation.class.getName());
		Object failure = simulation.getMethod("firstFailure", long.class, long.class, int.class)
			.invoke(null, first, count, threads);
		return (failure != null) ? failure.toString() : null;
	}

	private Map<String, byte[]> compile() throws IOException {
		Map<String, String> sources = new TreeMap<>();
		for (Edit edit : this.edits) {
			String source = sources.get(edit.type());
			if (source == null) {
				source = Files.readString(sourceOf(edit.type()));
			}
			if (!source.contains(edit.right())) {
				throw new IllegalStateException(
						"%s has no '%s' any more, which '%s' changes".formatted(edit.type(), edit.right(), this.name));
			}
			sources.put(edit.type(), source.replace(edit.right(), edit.wrong()));
		}
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		Map<String, byte[]> classes = new HashMap<>();
		try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
			List<JavaFileObject> units = sources.entrySet()
				.stream()
				.map((source) -> (JavaFileObject) new Source(source.getKey(), source.getValue()))
				.toList();
			if (!compiler
				.getTask(null, new InMemory(files, classes), null, List.of("-proc:none", "-parameters", "-nowarn"),
						null, units)
				.call()) {
				throw new IllegalStateException("'%s' does not compile".formatted(this.name));
			}
		}
		return classes;
	}

	private static Path sourceOf(String type) {
		for (String folder : System.getProperty("simulation.sources").split(",")) {
			Path file = Path.of(folder, PRODUCT + type + ".java");
			if (Files.exists(file)) {
				return file;
			}
		}
		throw new IllegalArgumentException("There is no source of " + type);
	}

	@Override
	public String toString() {
		return this.name;
	}

	/**
	 * A change of the source code.
	 *
	 * @param type the class, as a path below the product's package
	 * @param right what is right
	 * @param wrong what is there instead
	 */
	record Edit(String type, String right, String wrong) {
	}

	private static final class Source extends SimpleJavaFileObject {

		private final String text;

		private Source(String type, String text) {
			super(URI.create("string:///" + PRODUCT + type + ".java"), Kind.SOURCE);
			this.text = text;
		}

		@Override
		public CharSequence getCharContent(boolean ignoreEncodingErrors) {
			return this.text;
		}

	}

	/** Keeps what is compiled. */
	private static final class InMemory extends ForwardingJavaFileManager<StandardJavaFileManager> {

		private final Map<String, byte[]> classes;

		private InMemory(StandardJavaFileManager files, Map<String, byte[]> classes) {
			super(files);
			this.classes = classes;
		}

		@Override
		public JavaFileObject getJavaFileForOutput(JavaFileManager.Location location, String name,
				JavaFileObject.Kind kind, javax.tools.FileObject sibling) {
			return new SimpleJavaFileObject(URI.create("mem:///" + name.replace('.', '/') + kind.extension), kind) {

				@Override
				public OutputStream openOutputStream() {
					return new ByteArrayOutputStream() {

						@Override
						public void close() {
							InMemory.this.classes.put(name, toByteArray());
						}

					};
				}

			};
		}

	}

	/** Loads the product anew, with the mistake. */
	private static final class Loader extends ClassLoader {

		private final Map<String, byte[]> classes;

		private Loader(Map<String, byte[]> classes) {
			super(Mutant.class.getClassLoader());
			this.classes = classes;
		}

		@Override
		protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
			synchronized (getClassLoadingLock(name)) {
				Class<?> loaded = findLoadedClass(name);
				if (loaded != null || !name.startsWith("io.leaderstarter.")) {
					return (loaded != null) ? loaded : super.loadClass(name, resolve);
				}
				byte[] bytes = this.classes.getOrDefault(name, read(name));
				return defineClass(name, bytes, 0, bytes.length);
			}
		}

		private byte[] read(String name) throws ClassNotFoundException {
			try (InputStream file = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
				if (file == null) {
					throw new ClassNotFoundException(name);
				}
				return file.readAllBytes();
			}
			catch (IOException ex) {
				throw new ClassNotFoundException(name, ex);
			}
		}

	}

}
