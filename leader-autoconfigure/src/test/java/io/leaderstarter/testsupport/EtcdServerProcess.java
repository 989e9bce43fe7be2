package io.leaderstarter.testsupport;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import org.springframework.util.FileSystemUtils;

/**
 * One server of etcd, which a test may kill or freeze.
 */
final class EtcdServerProcess {

	/**
	 * Ends the server when our end of its input is closed, which the system does however
	 * this process ends. If nothing was said before, nobody is there who deletes what the
	 * server leaves behind.
	 */
	private static final String GUARD = """
			folder=$1; shift
			"$@" < /dev/null & server=$!
			echo $server > "$folder/pid.new"; mv "$folder/pid.new" "$folder/pid"
			read -r word
			kill -9 $server; wait $server 2> /dev/null
			[ "$word" = keep ] || { rm -rf "${folder:?}"; rmdir "$(dirname "$folder")" 2> /dev/null; }
			""";

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final HttpClient HTTP = HttpClient.newHttpClient();

	private final Path folder;

	private final List<String> identity;

	private final List<String> settings;

	private final int clientPort;

	private final int statusPort;

	private Process guard;

	private ProcessHandle server;

	/**
	 * Makes the server, but does not start it.
	 * @param folder where its data are
	 * @param identity which member of which cluster it is, and where its data are
	 * @param settings more settings
	 * @param clientPort where it answers clients
	 * @param statusPort of its status page
	 */
	EtcdServerProcess(Path folder, List<String> identity, List<String> settings, int clientPort, int statusPort) {
		this.folder = folder;
		this.identity = identity;
		this.settings = settings;
		this.clientPort = clientPort;
		this.statusPort = statusPort;
	}

	int clientPort() {
		return this.clientPort;
	}

	/** Starts the server if it does not run. */
	void start() {
		if (this.guard != null) {
			return;
		}
		Path pid = this.folder.resolve("pid");
		try {
			Files.createDirectories(this.folder);
			Files.deleteIfExists(pid);
			List<String> guarded = new ArrayList<>(
					List.of("sh", "-c", GUARD, "sh", this.folder.toString(), EtcdProgram.server().toString()));
			guarded.addAll(this.identity);
			guarded.addAll(this.settings);
			this.guard = new ProcessBuilder(guarded).redirectErrorStream(true)
				.redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
				.start();
			await(() -> Files.exists(pid));
			this.server = ProcessHandle.of(Long.parseLong(Files.readString(pid).strip())).orElse(null);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Waits until the server has a leader and answers. */
	void awaitHealthy() {
		await(() -> get("/health").map((text) -> text.contains("\"true\"")).orElse(false));
	}

	boolean isLeader() {
		return metric("etcd_server_is_leader").orElse(0.0) == 1;
	}

	/** A metric of the server, summed up over its labels. */
	Optional<Double> metric(String beginning) {
		return get("/metrics").map((text) -> text.lines()
			.filter((line) -> line.startsWith(beginning))
			.mapToDouble((line) -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
			.sum());
	}

	void freeze() {
		signal("STOP");
	}

	void goOn() {
		signal("CONT");
	}

	/** Ends the server at once, as a crash does. */
	void kill() {
		if (this.guard == null) {
			return;
		}
		try (OutputStream input = this.guard.getOutputStream()) {
			input.write("keep\n".getBytes(StandardCharsets.US_ASCII));
			input.flush();
			if (!this.guard.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
				throw new IllegalStateException("etcd does not end");
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		this.guard = null;
		this.server = null;
	}

	/** Ends the server, and makes its data of a snapshot. */
	void restore(Path snapshot) {
		kill();
		FileSystemUtils.deleteRecursively(this.folder.resolve("data").toFile());
		List<String> command = new ArrayList<>(
				List.of(EtcdProgram.restorer().toString(), "snapshot", "restore", snapshot.toString()));
		command.addAll(this.identity);
		try {
			Process process = new ProcessBuilder(command).redirectErrorStream(true)
				.redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
				.start();
			if (process.waitFor() != 0) {
				throw new IllegalStateException("The snapshot cannot be restored: " + readLog());
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	void close() {
		kill();
		FileSystemUtils.deleteRecursively(this.folder.toFile());
	}

	private Optional<String> get(String path) {
		try {
			HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + this.statusPort + path))
				.timeout(Duration.ofSeconds(2))
				.build();
			return Optional.of(HTTP.send(request, HttpResponse.BodyHandlers.ofString()).body());
		}
		catch (IOException ex) {
			return Optional.empty();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return Optional.empty();
		}
	}

	private void await(Condition condition) {
		long end = System.nanoTime() + PATIENCE.toNanos();
		while (!condition.holds()) {
			boolean gone = this.server != null && !this.server.isAlive();
			if (gone || System.nanoTime() - end > 0) {
				throw new IllegalStateException("etcd does not start: " + readLog());
			}
			try {
				Thread.sleep(10);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				throw new IllegalStateException(ex);
			}
		}
	}

	private void signal(String signal) {
		try {
			// The shell's own kill, as not every machine has the program.
			new ProcessBuilder("sh", "-c", "kill -%s %d".formatted(signal, this.server.pid())).start().onExit().join();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private Path log() {
		return this.folder.resolve("log");
	}

	private String readLog() {
		try {
			return Files.readString(log());
		}
		catch (IOException ex) {
			return "no log: " + ex;
		}
	}

	@FunctionalInterface
	private interface Condition {

		boolean holds();

	}

}
