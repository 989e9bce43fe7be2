package io.leaderstarter.testsupport;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.springframework.util.FileSystemUtils;

/**
 * The wall clock of one process, which a test turns while the process runs. The clocks of
 * the machine and of this JVM stay as they are.
 * <p>
 * It needs libfaketime. If that is not installed, its Debian package is fetched and
 * unpacked into a folder of the test's, which needs no rights; if that fails too, so does
 * the test.
 */
public final class FakeClock implements AutoCloseable {

	private static final String NAME = "faketime/libfaketime.so.1";

	private final Path folder;

	private final Path library;

	/** Makes a clock that goes as the machine's. */
	public FakeClock() {
		try {
			this.folder = Files.createTempDirectory("leader-clock-");
			this.library = library(this.folder);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		set(Duration.ZERO);
	}

	/**
	 * Sets the clock.
	 * @param offset how much later it is than by the machine's clock
	 */
	public void set(Duration offset) {
		try {
			Path next = Files.writeString(this.folder.resolve("next"),
					String.format(Locale.ROOT, "%+.3f%n", offset.toMillis() / 1000.0));
			// Whoever reads it sees the one or the other.
			Files.move(next, offset(), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** What a process needs in its environment to go by this clock. */
	Map<String, String> environment() {
		return environment(this.library);
	}

	/**
	 * The same for a process with many threads. It locks, or threads would spoil each
	 * other's reading of the clock.
	 */
	Map<String, String> environmentOfThreads() {
		return environment(this.library.resolveSibling("libfaketimeMT.so.1"));
	}

	private Map<String, String> environment(Path library) {
		return Map.of("LD_PRELOAD", library.toString(), "FAKETIME_TIMESTAMP_FILE", offset().toString(),
				"FAKETIME_NO_CACHE", "1", "FAKETIME_DONT_FAKE_MONOTONIC", "1");
	}

	@Override
	public void close() {
		FileSystemUtils.deleteRecursively(this.folder.toFile());
	}

	private Path offset() {
		return this.folder.resolve("offset");
	}

	private static Path library(Path folder) throws IOException {
		Path installed = find(Path.of("/usr/lib"), 3);
		if (installed != null) {
			return installed;
		}
		List<String> said = new ArrayList<>();
		if (!fetch(folder, said)) {
			// A machine that is fresh knows no packages yet.
			said.add(run(folder, "apt-get", "update"));
			fetch(folder, said);
		}
		Path unpacked = find(folder, 6);
		if (unpacked == null) {
			throw new IOException("No libfaketime, which turns the clock of a server. Install the package libfaketime, "
					+ "or let 'apt-get download libfaketime' work, which said: " + said);
		}
		return unpacked;
	}

	private static boolean fetch(Path folder, List<String> said) throws IOException {
		said.add(run(folder, "apt-get", "download", "libfaketime"));
		try (Stream<Path> files = Files.list(folder)) {
			for (Path file : files.filter((file) -> file.toString().endsWith(".deb")).toList()) {
				said.add(run(folder, "dpkg-deb", "-x", file.toString(), folder.resolve("unpacked").toString()));
				return true;
			}
		}
		return false;
	}

	private static Path find(Path root, int depth) throws IOException {
		try (Stream<Path> files = Files.find(root, depth, (file, attributes) -> file.endsWith(NAME))) {
			return files.findFirst().orElse(null);
		}
		catch (UncheckedIOException ex) {
			// A folder that cannot be read has none that can be used.
			return null;
		}
	}

	private static String run(Path folder, String... command) {
		try {
			Process process = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
			process.getOutputStream().close();
			String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			return process.waitFor(1, TimeUnit.MINUTES) ? output : "no end: " + output;
		}
		catch (IOException ex) {
			return ex.toString();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return ex.toString();
		}
	}

}
