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
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.util.FileSystemUtils;

/**
 * A PostgreSQL server that belongs to one test, which may kill it, freeze it or turn its
 * clock. Its programs are those of {@link PostgresServer}.
 */
public final class OwnPostgres implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private final Path folder;

	private final Path programs;

	private final int port;

	private final Map<String, String> environment;

	private final List<ProcessHandle> frozen = new ArrayList<>();

	private Process process;

	/** Starts a server. */
	public OwnPostgres() {
		this(null);
	}

	/**
	 * Starts a server whose clock can be turned.
	 * @param clock turns it
	 */
	public OwnPostgres(FakeClock clock) {
		this.programs = programs();
		this.environment = (clock != null) ? clock.environment() : Map.of();
		try {
			this.folder = Files.createTempDirectory("leader-postgres-");
			this.port = freePort();
			run("initdb", "-D", data(), "-A", "trust", "-U", "postgres", "-E", "UTF8", "--no-locale", "--no-sync");
			start();
		}
		catch (IOException ex) {
			throw new UncheckedIOException("PostgreSQL for this test does not start", ex);
		}
	}

	/**
	 * Connects as the owner of everything.
	 * @return connections, each a new one
	 */
	public DriverManagerDataSource dataSource() {
		return through(this.port);
	}

	/**
	 * Connects by way of another port, where a {@link FaultProxy} listens.
	 * @param port the other port
	 * @return connections, each a new one
	 */
	public DriverManagerDataSource through(int port) {
		return new DriverManagerDataSource("jdbc:postgresql://127.0.0.1:%d/postgres?user=postgres".formatted(port));
	}

	/**
	 * Returns where the server listens.
	 * @return the port
	 */
	public int port() {
		return this.port;
	}

	/** Starts the server, or starts it again, on the same data, and waits for it. */
	public void start() {
		List<String> command = command("postgres");
		command.addAll(List.of("-D", data(), "-p", Integer.toString(this.port), "-c", "listen_addresses=127.0.0.1",
				"-c", "unix_socket_directories=", "-c", "shared_buffers=16MB"));
		ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.appendTo(log()));
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
	public void kill() {
		Process server = this.process;
		List<ProcessHandle> sessions = server.descendants().toList();
		server.destroyForcibly();
		// Those that it started in between end by themselves, as it is gone.
		sessions.forEach(ProcessHandle::destroyForcibly);
		server.onExit().join();
		sessions.forEach((session) -> session.onExit().orTimeout(30, TimeUnit.SECONDS).join());
	}

	/** Stops all of the server in the middle of what it does. Nobody is told. */
	public void freeze() {
		// The one that starts others first, so that there are no new ones.
		signal("STOP", List.of(this.process.toHandle()));
		List<ProcessHandle> sessions = this.process.descendants().toList();
		signal("STOP", sessions);
		this.frozen.add(this.process.toHandle());
		this.frozen.addAll(sessions);
	}

	/** Lets the server go on where it stopped. */
	public void goOn() {
		signal("CONT", this.frozen.stream().filter(ProcessHandle::isAlive).toList());
		this.frozen.clear();
	}

	/** Kills the server and starts its data as a replica, which refuses to write. */
	public void restartAsReplica() {
		kill();
		try {
			Files.createFile(this.folder.resolve("data/standby.signal"));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		start();
	}

	/** Makes the replica the primary. */
	public void promote() {
		new JdbcTemplate(dataSource()).queryForObject("select pg_promote()", Boolean.class);
	}

	@Override
	public void close() {
		try {
			kill();
		}
		finally {
			FileSystemUtils.deleteRecursively(this.folder.toFile());
		}
	}

	private void awaitAnswer() {
		long end = System.nanoTime() + PATIENCE.toNanos();
		JdbcTemplate jdbc = new JdbcTemplate(dataSource());
		while (true) {
			try {
				jdbc.queryForObject("select 1", Integer.class);
				return;
			}
			catch (DataAccessException ex) {
				if (!this.process.isAlive() || System.nanoTime() - end > 0) {
					this.process.destroyForcibly();
					throw new IllegalStateException("PostgreSQL for this test does not start: " + readLog(), ex);
				}
				pause();
			}
		}
	}

	private void run(String program, String... arguments) throws IOException {
		List<String> command = command(program);
		command.addAll(List.of(arguments));
		Process running = new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.appendTo(log()))
			.start();
		if (running.onExit().join().exitValue() != 0) {
			throw new IOException("%s failed: %s".formatted(program, readLog()));
		}
	}

	/** It refuses to run as root, so as root it runs where root is nobody. */
	private List<String> command(String program) {
		List<String> command = new ArrayList<>();
		if (System.getProperty("user.name").equals("root")) {
			command.addAll(List.of("unshare", "-U"));
		}
		command.add(this.programs.resolve(program).toString());
		return command;
	}

	private String data() {
		return this.folder.resolve("data").toString();
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

	/** Where the library unpacked the programs of the server for all tests. */
	private static Path programs() {
		PostgresServer.port();
		Path unpacked = Path.of(System.getProperty("java.io.tmpdir"), "embedded-pg");
		try (Stream<Path> versions = Files.list(unpacked)) {
			return versions.map((version) -> version.resolve("bin"))
				.filter((bin) -> Files.isExecutable(bin.resolve("postgres")))
				.max(Comparator.comparing((bin) -> bin.toFile().lastModified()))
				.orElseThrow(() -> new IllegalStateException("No PostgreSQL in " + unpacked));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
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
			new ProcessBuilder("sh", "-c", "kill -%s %s".formatted(signal.toUpperCase(Locale.ROOT), ids)).start()
				.onExit()
				.join();
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
