package io.leaderstarter.testsupport;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.util.FileSystemUtils;

/**
 * A database server that belongs to one test, which may kill it, freeze it, turn its
 * clock or make it refuse to write. It has a folder and a port of its own, and both are
 * free again when the test ends.
 */
public abstract class OwnServer implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private final String name;

	private final Path folder;

	private final int port;

	private final Map<String, String> environment;

	private final List<ProcessHandle> frozen = new ArrayList<>();

	private Process process;

	/**
	 * Takes a folder and a port, and starts nothing yet.
	 * @param name what people call it
	 * @param environment what its processes need in their environment
	 */
	OwnServer(String name, Map<String, String> environment) {
		this.name = name;
		this.environment = environment;
		try {
			this.port = freePort();
			this.folder = Files.createTempDirectory("leader-" + name.toLowerCase(Locale.ROOT) + "-");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Connects as applications do.
	 * @return connections, each a new one
	 */
	public final DriverManagerDataSource dataSource() {
		return through(this.port);
	}

	/**
	 * Connects by way of another port, where a {@link FaultProxy} listens.
	 * @param port the other port
	 * @return connections, each a new one
	 */
	public abstract DriverManagerDataSource through(int port);

	/** Connects as somebody who may do everything. */
	abstract DriverManagerDataSource owner();

	/** What starts the server on the data that are there. */
	abstract List<String> command();

	/**
	 * Makes the running server refuse to write, or write again. Nothing is restarted.
	 * @param refuse whether to refuse
	 */
	public abstract void refuseWrites(boolean refuse);

	/** Kills the server and starts its data as a replica, which refuses to write. */
	public abstract void restartAsReplica();

	/** Makes the replica the primary. */
	public abstract void promote();

	/**
	 * Returns where the server listens.
	 * @return the port
	 */
	public final int port() {
		return this.port;
	}

	/** Starts the server, or starts it again, on the same data, and waits for it. */
	public final void start() {
		start(List.of());
	}

	/** Starts the server with more arguments than it has otherwise. */
	final void start(List<String> arguments) {
		List<String> command = new ArrayList<>(command());
		command.addAll(arguments);
		ProcessBuilder builder = builder(command);
		builder.environment().putAll(this.environment);
		try {
			this.process = builder.start();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		awaitAnswer();
	}

	/** Ends all of the server at once, as a crash does. What it had committed stays. */
	public final void kill() {
		Process server = this.process;
		List<ProcessHandle> sessions = server.descendants().toList();
		server.destroyForcibly();
		// Those that it started in between end by themselves, as it is gone.
		sessions.forEach(ProcessHandle::destroyForcibly);
		server.onExit().join();
		sessions.forEach((session) -> session.onExit().orTimeout(30, TimeUnit.SECONDS).join());
	}

	/** Stops all of the server in the middle of its work. Clients are not notified. */
	public final void freeze() {
		// The one that starts others first, so that there are no new ones.
		signal("STOP", List.of(this.process.toHandle()));
		List<ProcessHandle> sessions = this.process.descendants().toList();
		signal("STOP", sessions);
		this.frozen.add(this.process.toHandle());
		this.frozen.addAll(sessions);
	}

	/** Lets the server go on where it stopped. */
	public final void goOn() {
		signal("CONT", this.frozen.stream().filter(ProcessHandle::isAlive).toList());
		this.frozen.clear();
	}

	@Override
	public final void close() {
		try {
			if (this.process != null) {
				kill();
			}
		}
		finally {
			FileSystemUtils.deleteRecursively(this.folder.toFile());
		}
	}

	/** Makes the data and starts the server. If that fails, nothing is left of it. */
	final void create(List<String> command) {
		try {
			Process running = builder(command).start();
			if (running.onExit().join().exitValue() != 0) {
				throw new IllegalStateException("%s for this test cannot be made: %s".formatted(this.name, readLog()));
			}
			start();
		}
		catch (IOException ex) {
			close();
			throw new UncheckedIOException(ex);
		}
		catch (RuntimeException ex) {
			close();
			throw ex;
		}
	}

	final Path data() {
		return this.folder.resolve("data");
	}

	private void awaitAnswer() {
		long end = System.nanoTime() + PATIENCE.toNanos();
		JdbcTemplate jdbc = new JdbcTemplate(owner());
		while (true) {
			try {
				jdbc.queryForObject("select 1", Integer.class);
				return;
			}
			catch (DataAccessException ex) {
				if (!this.process.isAlive() || System.nanoTime() - end > 0) {
					this.process.destroyForcibly();
					throw new IllegalStateException(
							"%s for this test does not start: %s".formatted(this.name, readLog()), ex);
				}
				pause();
			}
		}
	}

	private ProcessBuilder builder(List<String> command) {
		ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.appendTo(log()));
		// In a folder that all share, MariaDB deletes temporary files of other servers
		// when it starts.
		builder.environment().put("TMPDIR", this.folder.toString());
		return builder;
	}

	private File log() {
		return this.folder.resolve("log").toFile();
	}

	private String readLog() {
		try {
			return Files.readString(log().toPath());
		}
		catch (IOException ex) {
			return "no log: " + ex;
		}
	}

	private static int freePort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			return socket.getLocalPort();
		}
	}

	private static void signal(String signal, List<ProcessHandle> processes) {
		if (processes.isEmpty()) {
			return;
		}
		String ids = processes.stream().map((process) -> Long.toString(process.pid())).collect(Collectors.joining(" "));
		try {
			// The shell's own kill, as not every machine has the program.
			new ProcessBuilder("sh", "-c", "kill -%s %s".formatted(signal, ids)).start().onExit().join();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static void pause() {
		try {
			Thread.sleep(20);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
