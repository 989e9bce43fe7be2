package io.leaderstarter.testsupport;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * A PostgreSQL server for all tests of this JVM. It starts when the first test wants it,
 * and ends with the JVM. If it cannot start, the test that wants it fails and says why.
 */
public final class PostgresServer {

	private static final AtomicInteger databases = new AtomicInteger();

	private PostgresServer() {
	}

	/**
	 * Makes an empty database that no other test knows, and logs in as its owner.
	 * @return connections to it, each a new one
	 */
	public static DriverManagerDataSource newDatabase() {
		String name = "db" + databases.incrementAndGet();
		new JdbcTemplate(connect("postgres", "postgres")).execute("create database " + name);
		return connect(name, "postgres");
	}

	/**
	 * Logs in to a database as somebody else, who has no rights but those of everybody.
	 * @param database a database from here
	 * @param user name of the user, made if there is none
	 * @return connections to the same database
	 */
	public static DriverManagerDataSource asUser(DriverManagerDataSource database, String user) {
		JdbcTemplate owner = new JdbcTemplate(database);
		Integer known = owner.queryForObject("select count(*) from pg_roles where rolname = ?", Integer.class, user);
		if (known == null || known == 0) {
			owner.execute("create role " + user + " login");
		}
		return connect(owner.queryForObject("select current_database()", String.class), user);
	}

	/**
	 * The same database with other settings of the driver.
	 * @param database a database from here
	 * @param settings parameters for the URL, with an ampersand between them
	 * @return connections to the same database
	 */
	public static DriverManagerDataSource with(DriverManagerDataSource database, String settings) {
		return new DriverManagerDataSource(database.getUrl() + "&" + settings);
	}

	/**
	 * The same database by way of another port, where a {@link FaultProxy} listens.
	 * @param database a database from here
	 * @param port the other port
	 * @return connections to the same database
	 */
	public static DriverManagerDataSource through(DriverManagerDataSource database, int port) {
		return new DriverManagerDataSource(database.getUrl().replace("127.0.0.1:" + port(), "127.0.0.1:" + port));
	}

	/**
	 * Returns where the server listens.
	 * @return the port
	 */
	public static int port() {
		return Holder.SERVER.getPort();
	}

	private static DriverManagerDataSource connect(String database, String user) {
		return new DriverManagerDataSource(
				"jdbc:postgresql://127.0.0.1:%d/%s?user=%s".formatted(Holder.SERVER.getPort(), database, user));
	}

	private static final class Holder {

		static final EmbeddedPostgres SERVER = start();

		private static EmbeddedPostgres start() {
			try {
				// It takes a free port, and removes its folder when the JVM ends.
				return EmbeddedPostgres.builder()
					.setServerConfig("listen_addresses", "127.0.0.1")
					.setPGStartupWait(Duration.ofMinutes(2))
					.start();
			}
			catch (IOException ex) {
				throw new UncheckedIOException("PostgreSQL for the tests does not start", ex);
			}
		}

	}

}
