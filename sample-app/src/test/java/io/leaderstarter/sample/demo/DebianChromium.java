package io.leaderstarter.sample.demo;

import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.springframework.util.FileSystemUtils;

/**
 * Debian's package of Chromium, and those that it needs and the machine lacks. They are
 * downloaded once and unpacked below {@code build}, not installed.
 */
final class DebianChromium {

	private static final Path CACHE = Path.of("build", "chromium").toAbsolutePath();

	private static final Path UNPACKED = CACHE.resolve("unpacked");

	private DebianChromium() {
	}

	/**
	 * Returns where the program is. Only one of all processes downloads it.
	 * @throws IllegalStateException if it cannot be had
	 */
	static Path program() throws IOException, InterruptedException {
		Path program = UNPACKED.resolve("usr/lib/chromium/chromium");
		Files.createDirectories(CACHE);
		try (FileChannel channel = FileChannel.open(CACHE.resolve("lock"), StandardOpenOption.CREATE,
				StandardOpenOption.WRITE); FileLock lock = channel.lock()) {
			if (!lock.isValid() || !Files.isExecutable(program)) {
				download();
			}
		}
		return program;
	}

	/** The folders of the libraries that came with it; some have one of their own. */
	static String libraries() throws IOException {
		try (Stream<Path> folders = Files.walk(UNPACKED.resolve("usr/lib"), 2)) {
			return folders.filter((folder) -> folder.toString().contains("-linux-gnu"))
				.filter(Files::isDirectory)
				.map(Path::toString)
				.collect(Collectors.joining(File.pathSeparator));
		}
	}

	private static void download() throws IOException, InterruptedException {
		Path work = Files.createTempDirectory(CACHE, "download-");
		try {
			// With lists of packages of its own, as those of the machine may be missing,
			// and as whoever we are, as another user may not write here.
			Path lists = Files.createDirectories(work.resolve("lists/partial")).getParent();
			Path archives = Files.createDirectories(work.resolve("cache/archives/partial")).getParent();
			List<String> apt = List.of("apt-get", "-qq", "-y", "-o", "Debug::NoLocking=1", "-o",
					"APT::Sandbox::User=root", "-o", "Dir::State::lists=" + lists, "-o",
					"Dir::Cache=" + archives.getParent());
			run(with(apt, "update"));
			run(with(apt, "--no-install-recommends", "--download-only", "install", "chromium"));
			try (Stream<Path> files = Files.list(archives)) {
				for (Path file : files.filter((candidate) -> candidate.toString().endsWith(".deb")).toList()) {
					run(List.of("dpkg-deb", "-x", file.toString(), work.resolve("unpacked").toString()));
				}
			}
			Files.move(work.resolve("unpacked"), UNPACKED, StandardCopyOption.ATOMIC_MOVE);
		}
		finally {
			FileSystemUtils.deleteRecursively(work);
		}
	}

	private static List<String> with(List<String> command, String... arguments) {
		List<String> all = new ArrayList<>(command);
		all.addAll(List.of(arguments));
		return all;
	}

	private static void run(List<String> command) throws IOException, InterruptedException {
		if (new ProcessBuilder(command).inheritIO().start().waitFor() != 0) {
			throw new IllegalStateException(
					"The tests of the page need Chromium. Put 'chromium' on the path, or let %s name it. This failed: %s"
						.formatted(Chromium.NAMED, String.join(" ", command)));
		}
	}

}
