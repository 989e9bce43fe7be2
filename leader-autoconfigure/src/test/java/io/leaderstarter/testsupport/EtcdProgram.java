package io.leaderstarter.testsupport;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.springframework.util.FileSystemUtils;

/**
 * The programs of etcd. No jar carries them, so they are those that
 * {@code LEADER_TEST_ETCD} names, else those on the path, else those of Debian's
 * packages, which are downloaded once and unpacked below {@code build}, not installed.
 */
final class EtcdProgram {

	private static final String NAMED = "LEADER_TEST_ETCD";

	private static final Path CACHE = Path.of("build", "etcd").toAbsolutePath();

	private EtcdProgram() {
	}

	/**
	 * Returns where the server is.
	 * @throws IllegalStateException if there is none and it cannot be had
	 */
	static Path server() {
		String named = System.getProperty(NAMED, System.getenv(NAMED));
		if (named != null) {
			Path program = Path.of(named);
			if (!Files.isExecutable(program)) {
				throw new IllegalStateException("%s names %s, which is no program".formatted(NAMED, named));
			}
			return program;
		}
		return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
			.map((folder) -> Path.of(folder, "etcd"))
			.filter(Files::isExecutable)
			.findFirst()
			.orElseGet(() -> unpacked("etcd-server", "etcd"));
	}

	/**
	 * Returns what makes the data of a server of a snapshot. It comes with the server,
	 * and has had another name since etcd 3.6.
	 * @throws IllegalStateException if there is none and it cannot be had
	 */
	static Path restorer() {
		Path server = server();
		return Stream.of("etcdutl", "etcdctl")
			.map(server::resolveSibling)
			.filter(Files::isExecutable)
			.findFirst()
			.orElseGet(() -> unpacked("etcd-client", "etcdctl"));
	}

	/** Only one of all processes downloads it, and the others wait. */
	private static synchronized Path unpacked(String debian, String program) {
		Path found = CACHE.resolve(debian).resolve("usr/bin").resolve(program);
		try {
			Files.createDirectories(CACHE);
			try (FileChannel channel = FileChannel.open(CACHE.resolve("lock"), StandardOpenOption.CREATE,
					StandardOpenOption.WRITE); FileLock lock = channel.lock()) {
				if (!lock.isValid() || !Files.isExecutable(found)) {
					download(debian);
				}
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return found;
	}

	private static void download(String debian) throws IOException {
		Path work = Files.createTempDirectory(CACHE, "download-");
		try {
			StringBuilder said = new StringBuilder();
			if (!run(work, said, "apt-get", "download", debian) && !downloadByItself(debian, work, said)) {
				throw new IllegalStateException(
						"The tests need etcd. Let %s name its program, or put it on the path, or make 'apt-get download %s' possible. That said: %s"
							.formatted(NAMED, debian, said));
			}
			Path unpacked = work.resolve("unpacked");
			try (Stream<Path> files = Files.list(work)) {
				Path file = files.filter((candidate) -> candidate.toString().endsWith(".deb"))
					.findFirst()
					.orElseThrow();
				if (!run(work, said, "dpkg-deb", "-x", file.toString(), unpacked.toString())) {
					throw new IllegalStateException("The package of etcd cannot be unpacked: " + said);
				}
			}
			Files.move(unpacked, CACHE.resolve(debian), StandardCopyOption.ATOMIC_MOVE);
		}
		finally {
			FileSystemUtils.deleteRecursively(work.toFile());
		}
	}

	/** With lists of packages of its own, as those of the machine may be missing. */
	private static boolean downloadByItself(String debian, Path work, StringBuilder said) throws IOException {
		Path lists = Files.createDirectories(work.resolve("lists/partial")).getParent();
		Path cache = Files.createDirectories(work.resolve("cache/archives/partial")).getParent().getParent();
		String[] own = { "-o", "Dir::State::lists=" + lists, "-o", "Dir::Cache=" + cache };
		return run(work, said, command("update", own)) && run(work, said, command("download", own, debian));
	}

	private static String[] command(String command, String[] options, String... arguments) {
		return Stream.of(Stream.of("apt-get"), Stream.of(options), Stream.of(command), Stream.of(arguments))
			.flatMap((part) -> part)
			.toArray(String[]::new);
	}

	private static boolean run(Path work, StringBuilder said, String... command) throws IOException {
		Path output = work.resolve("output");
		try {
			Process process = new ProcessBuilder(command).directory(work.toFile())
				.redirectErrorStream(true)
				.redirectOutput(output.toFile())
				.start();
			if (!process.waitFor(80, TimeUnit.SECONDS)) {
				process.destroyForcibly();
				said.append(List.of(command)).append(" takes too long. ");
				return false;
			}
			said.append(Files.readString(output));
			return process.exitValue() == 0;
		}
		catch (IOException ex) {
			said.append(ex.getMessage());
			return false;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

}
