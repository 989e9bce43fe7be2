package io.leaderstarter.testsupport;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/**
 * A PostgreSQL server that belongs to one test. Its programs are those of
 * {@link PostgresServer}.
 */
public final class OwnPostgres extends OwnServer {

	private final Path programs;

	/** Starts a server. */
	public OwnPostgres() {
		this(null);
	}

	/**
	 * Starts a server whose clock can be turned.
	 * @param clock turns it
	 */
	public OwnPostgres(FakeClock clock) {
		super("PostgreSQL", (clock != null) ? clock.environment() : Map.of());
		this.programs = programs();
		create(command("initdb", "-D", data().toString(), "-A", "trust", "-U", "postgres", "-E", "UTF8", "--no-locale",
				"--no-sync"));
	}

	@Override
	public DriverManagerDataSource through(int port) {
		return new DriverManagerDataSource("jdbc:postgresql://127.0.0.1:%d/postgres?user=postgres".formatted(port));
	}

	@Override
	DriverManagerDataSource owner() {
		return dataSource();
	}

	@Override
	List<String> command() {
		return command("postgres", "-D", data().toString(), "-p", Integer.toString(port()), "-c",
				"listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "shared_buffers=16MB");
	}

	/** Only sessions that begin refuse, so those that there are end. */
	@Override
	public void refuseWrites(boolean refuse) {
		SingleConnectionDataSource session = new SingleConnectionDataSource(owner().getUrl(), true);
		try {
			JdbcTemplate jdbc = new JdbcTemplate(session);
			jdbc.execute("set default_transaction_read_only = off");
			jdbc.execute("alter database postgres set default_transaction_read_only = " + (refuse ? "on" : "off"));
			jdbc.queryForList("select pg_terminate_backend(pid) from pg_stat_activity "
					+ "where datname = current_database() and pid <> pg_backend_pid()");
		}
		finally {
			session.destroy();
		}
	}

	@Override
	public void restartAsReplica() {
		kill();
		try {
			Files.createFile(data().resolve("standby.signal"));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		start();
	}

	@Override
	public void promote() {
		new JdbcTemplate(owner()).queryForObject("select pg_promote()", Boolean.class);
	}

	/** It refuses to run as root, so as root it runs where root is nobody. */
	private List<String> command(String program, String... arguments) {
		List<String> command = new ArrayList<>();
		if (System.getProperty("user.name").equals("root")) {
			command.addAll(List.of("unshare", "-U"));
		}
		command.add(this.programs.resolve(program).toString());
		command.addAll(List.of(arguments));
		return command;
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

}
