package io.leaderstarter.sample.demo.server;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;

/**
 * Where the program of etcd is: on the path, else it is that of Debian's package, which
 * is downloaded once and unpacked below a folder, not installed.
 */
final class EtcdProgram {

	private final Path cache;

	EtcdProgram(Path cache) {
		this.cache = cache;
	}

	/**
	 * Returns where the program is.
	 * @throws IllegalStateException if there is none and it cannot be had
	 */
	Path find() throws IOException, InterruptedException {
		for (String folder : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator)) {
			if (Files.isExecutable(Path.of(folder, "etcd"))) {
				return Path.of(folder, "etcd");
			}
		}
		Path unpacked = this.cache.resolve("etcd");
		if (!Files.isExecutable(unpacked.resolve("usr/bin/etcd"))) {
			download(unpacked);
		}
		return unpacked.resolve("usr/bin/etcd");
	}

	private void download(Path unpacked) throws IOException, InterruptedException {
		Files.createDirectories(this.cache);
		Path work = Files.createTempDirectory(this.cache, "etcd-");
		System.out.println("etcd is not on the path; Debian's package of it is downloaded");
		// With lists of packages of its own, as those of the machine may be missing or
		// old.
		Path lists = Files.createDirectories(work.resolve("lists/partial")).getParent();
		Path archives = Files.createDirectories(work.resolve("cache/archives/partial")).getParent().getParent();
		List<String> apt = List.of("apt-get", "-o", "Dir::State::lists=" + lists, "-o", "Dir::Cache=" + archives);
		run(work, Stream.concat(apt.stream(), Stream.of("update")).toList());
		run(work, Stream.concat(apt.stream(), Stream.of("download", "etcd-server")).toList());
		try (Stream<Path> files = Files.list(work)) {
			Path file = files.filter((candidate) -> candidate.toString().endsWith(".deb")).findFirst().orElseThrow();
			run(work, List.of("dpkg-deb", "-x", file.toString(), work.resolve("unpacked").toString()));
		}
		Files.move(work.resolve("unpacked"), unpacked, StandardCopyOption.ATOMIC_MOVE);
	}

	private static void run(Path folder, List<String> command) throws IOException, InterruptedException {
		try {
			if (new ProcessBuilder(command).directory(folder.toFile()).inheritIO().start().waitFor() == 0) {
				return;
			}
		}
		catch (IOException ex) {
			System.out.println(ex.getMessage());
		}
		throw new IllegalStateException("The demo needs etcd. Install it, so that it is on the path. This failed: "
				+ String.join(" ", command));
	}

}
