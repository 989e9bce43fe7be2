import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.URL;
import java.net.URLConnection;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collections;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * Puts a Gradle into a folder, for {@code gradlew}, when this machine has none of the wanted version.
 * <ol>
 * <li>Takes a lock, so that of several runs at a time one works and the others wait.</li>
 * <li>Deletes what runs that were killed have left.</li>
 * <li>Downloads the official distribution, if its host answers within a few seconds.</li>
 * <li>Otherwise assembles the same version from artifacts of Maven Central, which it gets through {@code mvn}, so the
 * user's own mirrors and credentials apply and no host is named here.</li>
 * <li>Renames the result to its final name as the very last step: whatever has that name is complete.</li>
 * </ol>
 * Every downloaded file is pinned by its SHA-256. A failure is one line on standard error and exit code 1.
 * <p>
 * Usage: {@code java GradleBootstrap.java gradle-wrapper.properties parts.txt TARGET_FOLDER}. Why this exists and when
 * it can be deleted is in the README.md beside it.
 */
public class GradleBootstrap {

	/** The parts (or the zip) and the result lie beside each other for a moment. */
	private static final long NEEDED_MEGABYTES = 320;

	private static final int CONNECT_MILLIS = 2000;

	/** Connecting is not all: a resolver or a proxy that says nothing must not stop us for long either. */
	private static final int ANSWER_MILLIS = 4000;

	/** A {@code *-classpath.properties} file in the API jar describes one module of the distribution. */
	private static final Pattern MODULE = Pattern.compile("(gradle-.*)-classpath\\.properties");

	private static final Pattern JAR_NAME = Pattern.compile("[^,=\\s]+\\.jar");

	private static final Pattern SHADED_JUNIT = Pattern
		.compile("org([/.])gradle\\1internal\\1impldep\\1(org\\1junit|org\\1opentest4j|junit)");

	private static final Pattern NETWORK_OPTION = Pattern
		.compile("-D(https?\\.\\w*[pP]roxy\\w*|javax\\.net\\.ssl\\.trustStore\\w*)=(\\S+)");

	/** Where JDK 17 and later would refuse Gradle's reflection; the real start script opens the same packages. */
	private static final List<String> OPENED_PACKAGES = List.of("java.base/java.util", "java.base/java.lang",
			"java.base/java.lang.invoke", "java.prefs/java.util.prefs", "java.base/java.nio.charset",
			"java.base/java.net", "java.base/java.util.concurrent.atomic");

	private final Properties wrapper;

	private final List<Part> parts;

	private final String version;

	private final Path target;

	/** One artifact of parts.txt. */
	private record Part(String sha256, String group, String artifact, String version) {

		static Part parse(String line) {
			String[] fields = line.trim().split("\\s+|:");
			return new Part(fields[0], fields[1], fields[2], fields[3]);
		}

		String fileName() {
			return artifact() + "-" + version() + ".jar";
		}

		Path in(Path repository) {
			return repository.resolve(Path.of(group().replace('.', '/'), artifact(), version(), fileName()));
		}

		String toXml() {
			return "<artifactItem><groupId>%s</groupId><artifactId>%s</artifactId><version>%s</version></artifactItem>"
				.formatted(group(), artifact(), version());
		}

	}

	/** Something the user has to act on; the message is the one line that is shown. */
	private static final class Refusal extends Exception {

		Refusal(String message) {
			super(message);
		}

	}

	/** The network failed, not the disk: the other way may still work. */
	private static final class Unreachable extends Exception {

		Unreachable(String message) {
			super(message);
		}

	}

	private GradleBootstrap(Path wrapperFile, Path partsFile, Path target) throws IOException, Refusal {
		this.target = target.toAbsolutePath();
		this.wrapper = new Properties();
		try (InputStream in = Files.newInputStream(wrapperFile)) {
			this.wrapper.load(in);
		}
		try (Stream<String> lines = Files.lines(partsFile)) {
			this.parts = lines.filter((line) -> !line.isBlank() && !line.startsWith("#")).map(Part::parse).toList();
		}
		Matcher name = Pattern.compile(".*/gradle-(.+)-(bin|all)\\.zip").matcher(required("distributionUrl"));
		if (!name.matches()) {
			throw new Refusal(wrapperFile + ": distributionUrl does not end in gradle-VERSION-bin.zip");
		}
		this.version = name.group(1);
	}

	public static void main(String[] args) {
		Path target = Path.of(args[2]);
		try {
			useNetworkOptions();
			new GradleBootstrap(Path.of(args[0]), Path.of(args[1]), target).run();
			return;
		}
		catch (Refusal ex) {
			say(ex.getMessage());
		}
		catch (IOException | UncheckedIOException ex) {
			say(explain(ex, target.toAbsolutePath().getParent()));
		}
		catch (InterruptedException | RuntimeException ex) {
			say("unexpected: " + ex);
		}
		System.exit(1);
	}

	/** A proxy is usually told to Gradle's JVM by these variables; ours asks the same host, so it needs it too. */
	private static void useNetworkOptions() {
		for (String variable : List.of("JAVA_OPTS", "GRADLE_OPTS")) {
			Matcher option = NETWORK_OPTION.matcher(System.getenv().getOrDefault(variable, ""));
			while (option.find()) {
				System.setProperty(option.group(1), option.group(2).replaceAll("[\"']", ""));
			}
		}
	}

	private void run() throws IOException, Refusal, InterruptedException {
		Path folder = Files.createDirectories(this.target.getParent());
		// The operating system frees this lock even when its holder is killed. The file stays: deleting it would let
		// two runs hold locks on two files of the same name.
		try (FileChannel channel = FileChannel.open(folder.resolve("lock"), StandardOpenOption.CREATE,
				StandardOpenOption.WRITE); FileLock lock = lock(channel)) {
			if (Files.isExecutable(this.target.resolve("bin/gradle"))) {
				return; // the run that we waited for has made it
			}
			deleteLeftovers(folder);
			Path temporary = Files.createTempDirectory(folder, "making-");
			try {
				requireSpace(folder);
				Path home = make(temporary);
				force(home);
				// Atomic, and the last step: a run that dies before this line leaves nothing that is trusted.
				Files.move(home, this.target, StandardCopyOption.ATOMIC_MOVE);
			}
			finally {
				deleteTree(temporary);
			}
		}
	}

	private FileLock lock(FileChannel channel) throws IOException {
		FileLock lock = channel.tryLock();
		if (lock == null) {
			say("another run is fetching Gradle " + this.version + "; waiting for it");
			lock = channel.lock();
		}
		return lock;
	}

	/** Whoever holds the lock is the only one at work, so every temporary folder is of a run that died. */
	private void deleteLeftovers(Path folder) throws IOException {
		try (Stream<Path> children = Files.list(folder)) {
			children.filter((child) -> child.getFileName().toString().startsWith("making-"))
				.forEach(GradleBootstrap::deleteTree);
		}
		// A folder of the final name without bin/gradle: someone has deleted a part of it.
		deleteTree(this.target);
	}

	private void requireSpace(Path folder) throws IOException, Refusal {
		long megabytes = Files.getFileStore(folder).getUsableSpace() >> 20;
		if (megabytes < NEEDED_MEGABYTES) {
			throw new Refusal(noSpace(folder) + " (" + megabytes + " MB are free)");
		}
	}

	private Path make(Path temporary) throws IOException, Refusal, InterruptedException {
		try {
			return unpackOfficial(downloadOfficial(temporary.resolve("official.zip")), temporary.resolve("official"));
		}
		catch (Unreachable ex) {
			return assemble(temporary, ex.getMessage());
		}
	}

	// The official distribution

	private Path downloadOfficial(Path zip) throws IOException, Refusal, Unreachable, InterruptedException {
		String url = required("distributionUrl");
		String expected = required("distributionSha256Sum");
		URLConnection connection = connect(url);
		say("downloading Gradle " + this.version + " (once)");
		String actual = download(connection, zip);
		if (!actual.equalsIgnoreCase(expected)) {
			// Not a case for the other way: someone between us and Gradle sends something else, or the pin is wrong.
			throw new Refusal("refused " + url + ": its SHA-256 is " + actual + ", but gradle-wrapper.properties says "
					+ expected + "; check the network (a login page?) and that file, then run again");
		}
		return zip;
	}

	private URLConnection connect(String url) throws Unreachable, InterruptedException {
		FutureTask<URLConnection> attempt = new FutureTask<>(() -> {
			URLConnection connection = new URL(url).openConnection();
			connection.setConnectTimeout(CONNECT_MILLIS);
			connection.setReadTimeout(Integer.parseInt(this.wrapper.getProperty("networkTimeout", "10000")));
			if (connection instanceof HttpURLConnection http && http.getResponseCode() != HttpURLConnection.HTTP_OK) {
				throw new IOException("HTTP status " + http.getResponseCode());
			}
			connection.getInputStream();
			return connection;
		});
		Thread thread = new Thread(attempt, "connect");
		thread.setDaemon(true); // so that a resolver that hangs does not keep the program alive
		thread.start();
		try {
			return attempt.get(ANSWER_MILLIS, TimeUnit.MILLISECONDS);
		}
		catch (TimeoutException ex) {
			throw new Unreachable("Gradle's download host does not answer");
		}
		catch (ExecutionException ex) {
			throw new Unreachable("Gradle's download host does not answer (" + brief(ex.getCause()) + ")");
		}
	}

	/** Copies to the file and returns the SHA-256; tells a failing network from a failing disk. */
	private static String download(URLConnection connection, Path file) throws IOException, Unreachable {
		MessageDigest digest = sha256();
		long expected = connection.getContentLengthLong();
		long total = 0;
		byte[] buffer = new byte[1 << 16];
		try (OutputStream out = Files.newOutputStream(file)) {
			for (int count = read(connection, buffer); count >= 0; count = read(connection, buffer)) {
				digest.update(buffer, 0, count);
				out.write(buffer, 0, count);
				total += count;
			}
		}
		// The JDK takes a connection that was closed too early for the end of the file.
		if (expected >= 0 && total != expected) {
			throw new Unreachable("the download of Gradle ended after " + total + " of " + expected + " bytes");
		}
		return HexFormat.of().formatHex(digest.digest());
	}

	private static int read(URLConnection connection, byte[] buffer) throws Unreachable {
		try {
			return connection.getInputStream().read(buffer);
		}
		catch (IOException ex) {
			throw new Unreachable("the download of Gradle broke off (" + brief(ex) + ")");
		}
	}

	private Path unpackOfficial(Path zip, Path folder) throws IOException, Refusal {
		try (ZipFile archive = new ZipFile(zip.toFile())) {
			for (ZipEntry entry : Collections.list(archive.entries())) {
				Path file = folder.resolve(entry.getName()).normalize();
				if (!file.startsWith(folder)) {
					throw new Refusal("refused the distribution: it holds a file outside of its folder: " + entry);
				}
				if (entry.isDirectory()) {
					Files.createDirectories(file);
				}
				else {
					Files.createDirectories(file.getParent());
					try (InputStream in = archive.getInputStream(entry)) {
						Files.copy(in, file);
					}
				}
			}
		}
		Path home = folder.resolve("gradle-" + this.version);
		Path script = home.resolve("bin/gradle");
		if (!Files.isRegularFile(script)) {
			throw new Refusal("the distribution has no gradle-" + this.version + "/bin/gradle: check distributionUrl");
		}
		makeExecutable(script);
		return home;
	}

	// The assembled one

	private Path assemble(Path temporary, String reason) throws IOException, Refusal, InterruptedException {
		if (this.parts.stream().noneMatch((part) -> part.fileName().equals("gradle-api-" + this.version + ".jar"))) {
			throw new Refusal(reason + ", and gradle/bootstrap/parts.txt is not for Gradle " + this.version
					+ ": see \"A new version\" in the README.md beside it");
		}
		Path maven = findMaven();
		if (maven == null) {
			throw new Refusal(reason + ", and there is no mvn on the PATH to get Gradle " + this.version
					+ " from Maven Central: install Maven 3 (or Gradle " + this.version + ") and run again");
		}
		say(reason + "; assembling Gradle " + this.version + " from Maven Central (once, about a minute)");
		Path jars = fetchParts(maven, temporary);
		Path home = temporary.resolve("assembled");
		Path lib = home.resolve("lib");
		Files.createDirectories(lib.resolve("plugins")); // Gradle knows its home by this folder
		Map<String, String> modules = writeClasses(jars.resolve("gradle-api-" + this.version + ".jar"), lib);
		writeModules(modules, lib);
		writeExternalJars(modules, jars, lib);
		writeSettings(home);
		writeStartScript(home);
		return home;
	}

	private static Path findMaven() {
		return Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
			.map((folder) -> Path.of(folder, "mvn"))
			.filter((file) -> Files.isRegularFile(file) && Files.isExecutable(file))
			.findFirst()
			.orElse(null);
	}

	private Path fetchParts(Path maven, Path temporary) throws IOException, Refusal, InterruptedException {
		Path jars = Files.createDirectories(temporary.resolve("parts"));
		Path pom = Files.writeString(temporary.resolve("pom.xml"), """
				<project xmlns="http://maven.apache.org/POM/4.0.0">
				<modelVersion>4.0.0</modelVersion>
				<groupId>local</groupId><artifactId>gradle-parts</artifactId><version>1</version>
				<packaging>pom</packaging>
				<build><plugins><plugin>
				<artifactId>maven-dependency-plugin</artifactId><version>3.6.1</version>
				<configuration><outputDirectory>parts</outputDirectory><artifactItems>
				%s
				</artifactItems></configuration>
				</plugin></plugins></build>
				</project>
				""".formatted(this.parts.stream().map(Part::toXml).collect(Collectors.joining("\n"))));
		MavenRun copy = MavenRun.of(maven, "-q", "-B", "-f", pom.toString(), "dependency:copy");
		if (copy.output().contains("No space left")) {
			throw new Refusal(noSpace(this.target.getParent()) + ", and as much in Maven's local repository");
		}
		if (copy.exitCode() != 0) {
			throw new Refusal("mvn could not get the parts of Gradle " + this.version + ": " + copy.firstError());
		}
		for (Part part : this.parts) {
			if (!sha256(jars.resolve(part.fileName())).equals(part.sha256())) {
				throw new Refusal("refused " + part.in(localRepository(maven, pom))
						+ ": its SHA-256 is not the one in gradle/bootstrap/parts.txt; delete that file and run again");
			}
		}
		return jars;
	}

	/** Only for the message about a bad file, since Maven's debug log is the one place that tells it for sure. */
	private static Path localRepository(Path maven, Path pom) throws IOException, InterruptedException {
		MavenRun debug = MavenRun.of(maven, "-X", "-B", "-f", pom.toString(), "validate");
		Matcher path = Pattern.compile("Using local repository at (.+)").matcher(debug.output());
		return Path.of(path.find() ? path.group(1).trim() : "the local Maven repository");
	}

	/**
	 * One jar carries every class, because the API jar does not tell which module a class is of.
	 * @return the class path description of every module by the module's name
	 */
	private Map<String, String> writeClasses(Path apiJar, Path lib) throws IOException {
		Map<String, String> modules = new TreeMap<>();
		try (ZipFile api = new ZipFile(apiJar.toFile());
				ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(lib.resolve(classesJar())))) {
			out.setLevel(Deflater.BEST_SPEED);
			for (ZipEntry entry : Collections.list(api.entries())) {
				String name = entry.getName();
				// On the system class path this one makes the JDK's own look-up of providers go round in circles.
				if (name.equals("META-INF/services/java.nio.file.spi.FileSystemProvider")) {
					continue;
				}
				byte[] content = api.getInputStream(entry).readAllBytes();
				if (name.startsWith("org/gradle/api/internal/tasks/testing/") && name.endsWith(".class")) {
					content = unshadeJunit(content);
				}
				out.putNextEntry(new ZipEntry(name));
				out.write(content);
				Matcher module = MODULE.matcher(name);
				if (module.matches()) {
					modules.put(module.group(1), new String(content, StandardCharsets.ISO_8859_1));
				}
			}
		}
		return modules;
	}

	/**
	 * The API jar relocates JUnit. The test worker must see the JUnit of the build, so the names in the constant pool
	 * are put back.
	 */
	private static byte[] unshadeJunit(byte[] classFile) {
		ByteBuffer in = ByteBuffer.wrap(classFile).position(8);
		int count = in.getShort() & 0xffff;
		ByteArrayOutputStream out = new ByteArrayOutputStream(classFile.length);
		out.write(classFile, 0, in.position());
		for (int index = 1; index < count; index++) {
			int start = in.position();
			int tag = in.get();
			if (tag == 1) {
				int length = in.getShort() & 0xffff;
				String text = new String(classFile, in.position(), length, StandardCharsets.ISO_8859_1);
				byte[] restored = SHADED_JUNIT.matcher(text).replaceAll("$2").getBytes(StandardCharsets.ISO_8859_1);
				out.write(tag);
				out.write(restored.length >> 8);
				out.write(restored.length);
				out.writeBytes(restored);
				in.position(start + 3 + length);
			}
			else {
				int size = constantSize(tag);
				out.write(classFile, start, size);
				in.position(start + size);
				if (tag == 5 || tag == 6) {
					index++; // a long or a double counts twice
				}
			}
		}
		out.write(classFile, in.position(), in.remaining());
		return out.toByteArray();
	}

	/** The sizes, with the tag, of constant pool entries (Java Virtual Machine Specification, 4.4). */
	private static int constantSize(int tag) {
		return switch (tag) {
			case 7, 8, 16, 19, 20 -> 3;
			case 15 -> 4;
			case 3, 4, 9, 10, 11, 12, 17, 18 -> 5;
			case 5, 6 -> 9;
			default -> throw new IllegalArgumentException("constant pool tag " + tag);
		};
	}

	/** Gradle's module registry asks each module's jar for the class path description, and for nothing else. */
	private void writeModules(Map<String, String> modules, Path lib) throws IOException {
		for (Map.Entry<String, String> module : modules.entrySet()) {
			String name = module.getKey();
			if (!moduleJar(name).equals(classesJar())) {
				// The class path of the start script and of the daemon is the launcher's jar alone.
				String manifest = name.equals("gradle-launcher") ? "Class-Path: " + classesJar() + "\n" : "";
				writeJar(lib.resolve(moduleJar(name)), manifest,
						Map.of(name + "-classpath.properties", module.getValue()));
			}
		}
		// Modules that the registry asks for, but that the API jar does not describe. Without the beacon precompiled
		// Groovy convention plugins do not compile.
		String nothing = "projects=\nruntime=\n";
		for (String name : List.of("gradle-java-compiler-plugin", "gradle-instrumentation-agent",
				"gradle-installation-beacon")) {
			writeJar(lib.resolve(moduleJar(name)), "", Map.of(name + "-classpath.properties", nothing));
		}
		writeJar(lib.resolve(moduleJar("gradle-kotlin-dsl")), "",
				Map.of("gradle-kotlin-dsl-classpath.properties", nothing, "gradle-kotlin-dsl-versions.properties",
						"kotlin=" + versionOf("kotlin-stdlib") + "\n"));
	}

	/** Third-party jars: those that the API jar has relocated are empty here, the others are the real ones. */
	private void writeExternalJars(Map<String, String> modules, Path jars, Path lib) throws IOException {
		TreeSet<String> names = new TreeSet<>();
		modules.values().forEach((text) -> JAR_NAME.matcher(text).results().forEach((name) -> names.add(name.group())));
		for (String name : names) {
			if (Files.exists(jars.resolve(name))) {
				Files.move(jars.resolve(name), lib.resolve(name));
			}
			else {
				writeJar(lib.resolve(name), "", Map.of());
			}
		}
	}

	private static void writeJar(Path jar, String manifest, Map<String, String> files) throws IOException {
		try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(jar))) {
			out.putNextEntry(new ZipEntry("META-INF/MANIFEST.MF"));
			out.write(("Manifest-Version: 1.0\n" + manifest + "\n").getBytes(StandardCharsets.UTF_8));
			for (Map.Entry<String, String> file : files.entrySet()) {
				out.putNextEntry(new ZipEntry(file.getKey()));
				out.write(file.getValue().getBytes(StandardCharsets.ISO_8859_1));
			}
		}
	}

	/** What a full distribution would not need. */
	private static void writeSettings(Path home) throws IOException {
		// The agent is a jar of its own and not on Central; Gradle has a slower way without it.
		Files.writeString(home.resolve("gradle.properties"), "org.gradle.internal.instrumentation.agent=false\n");
		// The in-process Java compiler is not in the API jar, so every compilation runs javac: the one of the JDK that
		// runs Gradle, since a toolchain is not yet known when this is decided.
		Files.writeString(Files.createDirectories(home.resolve("init.d")).resolve("javac.gradle"), """
				allprojects { tasks.withType(JavaCompile).configureEach {
					options.fork = true
					if (options.forkOptions.executable == null) {
						options.forkOptions.executable = "${System.getProperty('java.home')}/bin/javac"
					}
				} }
				""");
	}

	private void writeStartScript(Path home) throws IOException {
		String opens = OPENED_PACKAGES.stream()
			.map((name) -> "--add-opens=" + name + "=ALL-UNNAMED")
			.collect(Collectors.joining(" "));
		// Gradle takes a daemon by version and settings, not by its home. In a registry of its own a home that was
		// assembled anew, or an official one beside it, never meets the daemon of another.
		Path script = Files.writeString(Files.createDirectories(home.resolve("bin")).resolve("gradle"), """
				#!/bin/sh
				# Starts the Gradle that gradle/bootstrap has assembled.
				self=$(readlink -f "$0" 2>/dev/null || printf '%s' "$0")
				home=$(CDPATH='' cd -P -- "$(dirname -- "$self")/.." && pwd) || exit 1
				daemons=${GRADLE_USER_HOME:-$HOME/.gradle}/daemon/${home##*/}
				case $daemons in /*) ;; *) daemons=$PWD/$daemons ;; esac
				options=
				if [ -n "${JAVA_OPTS:-}${GRADLE_OPTS:-}" ]; then
					# xargs splits at blanks and heeds quotes; quoted again, nothing in an option is expanded.
					options=$(printf '%s\\n' "${JAVA_OPTS:-} ${GRADLE_OPTS:-}" | xargs -n 1 printf '%s\\n' |
						sed "/^\\$/d; s/'/'\\\\\\\\''/g; s/^/'/; s/\\$/'/" | tr '\\n' ' ')
				fi
				eval "set -- $options"' -cp "$home/lib/@LAUNCHER@" org.gradle.launcher.GradleMain "$@"'
				exec "${JAVA_HOME:+$JAVA_HOME/bin/}java" -Xmx64m @OPENS@ \\
					-Dorg.gradle.internal.instrumentation.agent=false -Dorg.gradle.appname=gradle \\
					-Dorg.gradle.daemon.registry.base="$daemons" "$@"
				""".replace("@LAUNCHER@", moduleJar("gradle-launcher")).replace("@OPENS@", opens));
		makeExecutable(script);
	}

	/** The first jar that Gradle looks into. */
	private String classesJar() {
		return moduleJar("gradle-base-services");
	}

	private String moduleJar(String module) {
		return module + "-" + this.version + ".jar";
	}

	private String versionOf(String artifact) {
		return this.parts.stream()
			.filter((part) -> part.artifact().equals(artifact))
			.map(Part::version)
			.findFirst()
			.orElseThrow();
	}

	/** One call of the Maven client. */
	private record MavenRun(int exitCode, String output) {

		static MavenRun of(Path maven, String... arguments) throws IOException, InterruptedException {
			List<String> command = Stream.concat(Stream.of(maven.toString()), Stream.of(arguments)).toList();
			Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
			Thread killer = new Thread(process::destroy);
			Runtime.getRuntime().addShutdownHook(killer); // it must not go on when we are told to stop
			process.getOutputStream().close();
			String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			int exitCode = process.waitFor();
			Runtime.getRuntime().removeShutdownHook(killer);
			return new MavenRun(exitCode, output);
		}

		/** The first error of the log; if Maven did not even start, the first line of what its script said. */
		String firstError() {
			List<String> lines = output().lines().filter((line) -> !line.isBlank()).toList();
			return Stream.concat(lines.stream().filter((line) -> line.startsWith("[ERROR]")), lines.stream())
				.map((line) -> line.replace("[ERROR]", "").replaceAll(" -> \\[Help.*", "").trim())
				.findFirst()
				.orElse("exit code " + exitCode());
		}

	}

	// Files, checksums, messages

	private String required(String key) throws Refusal {
		String value = this.wrapper.getProperty(key, "").trim();
		if (value.isEmpty()) {
			throw new Refusal("gradle/wrapper/gradle-wrapper.properties has no " + key);
		}
		return value;
	}

	private static MessageDigest sha256() {
		try {
			return MessageDigest.getInstance("SHA-256");
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex); // every JDK has it
		}
	}

	private static String sha256(Path file) throws IOException {
		try (DigestInputStream in = new DigestInputStream(Files.newInputStream(file), sha256())) {
			in.transferTo(OutputStream.nullOutputStream());
			return HexFormat.of().formatHex(in.getMessageDigest().digest());
		}
	}

	private static void makeExecutable(Path script) throws IOException {
		if (!script.toFile().setExecutable(true, false)) {
			throw new IOException("cannot make " + script + " executable");
		}
	}

	/** Writes the files through to the disk: else a power cut after the rename could leave empty ones in place. */
	private static void force(Path folder) throws IOException {
		try (Stream<Path> files = Files.walk(folder)) {
			for (Path file : files.filter(Files::isRegularFile).toList()) {
				try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
					channel.force(true);
				}
			}
		}
	}

	/** As far as possible: what stays is deleted by the next run, or is in nobody's way. */
	private static void deleteTree(Path folder) {
		try (Stream<Path> files = Files.walk(folder)) {
			files.sorted(Comparator.reverseOrder()).forEach((file) -> file.toFile().delete());
		}
		catch (IOException | UncheckedIOException ex) {
			// it does not exist, or an orphaned mvn still writes to it
		}
	}

	private static String explain(Exception ex, Path folder) {
		Throwable cause = (ex instanceof UncheckedIOException) ? ex.getCause() : ex;
		if (String.valueOf(cause.getMessage()).contains("No space left")) {
			return noSpace(folder);
		}
		if (cause instanceof AccessDeniedException || cause instanceof FileSystemException failure
				&& String.valueOf(failure.getReason()).contains("Read-only")) {
			return "cannot write to " + cause.getMessage() + ": set GRADLE_USER_HOME to a folder that is yours";
		}
		if (cause instanceof NoSuchFileException) {
			return "there is no " + cause.getMessage() + ": restore it and run again";
		}
		return "cannot make a Gradle in " + folder + ": " + brief(cause);
	}

	private static String noSpace(Path folder) {
		return "not enough space: Gradle needs about " + NEEDED_MEGABYTES + " MB in " + folder
				+ "; free some, or set GRADLE_USER_HOME to a folder on a larger disk";
	}

	private static String brief(Throwable ex) {
		return ex.getClass().getSimpleName() + ((ex.getMessage() != null) ? ": " + ex.getMessage() : "");
	}

	/** To standard error, as standard output is the build's. */
	private static void say(String message) {
		System.err.println("gradlew: " + message.replaceAll("\\s*\\R\\s*", " "));
	}

}
