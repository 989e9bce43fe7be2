package io.leaderstarter.testsupport;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * Databases in the memory of this JVM.
 */
public final class MemoryDatabases {

	private static final AtomicInteger databases = new AtomicInteger();

	private MemoryDatabases() {
	}

	/**
	 * Makes an empty H2 database that no other test knows.
	 * @return connections to it, each a new one
	 */
	public static DriverManagerDataSource newH2() {
		// Without the delay it is gone when nobody is connected.
		return new DriverManagerDataSource("jdbc:h2:mem:db%d;DB_CLOSE_DELAY=-1".formatted(databases.incrementAndGet()),
				"sa", "");
	}

	/**
	 * Logs in to an H2 database as somebody else, who has only the rights that are
	 * granted.
	 * @param database a database from here
	 * @param user name of the user, made if there is none
	 * @return connections to the same database
	 */
	public static DriverManagerDataSource asUser(DriverManagerDataSource database, String user) {
		new JdbcTemplate(database).execute("create user if not exists %s password ''".formatted(user));
		// Only an administrator may set the delay, which is set already.
		return new DriverManagerDataSource(database.getUrl().replace(";DB_CLOSE_DELAY=-1", ""), user, "");
	}

	/**
	 * The same database, whose statements wait for locks as long as is said here.
	 * @param database a database from here
	 * @param wait how long
	 * @return connections to the same database
	 */
	public static DriverManagerDataSource waiting(DriverManagerDataSource database, Duration wait) {
		String url = database.getUrl().replaceFirst(";LOCK_TIMEOUT=\\d+", "");
		return new DriverManagerDataSource(url + ";LOCK_TIMEOUT=" + wait.toMillis(), "sa", "");
	}

	/**
	 * Makes an empty HSQLDB database that no other test knows. Nothing in the main code
	 * knows HSQLDB, so it represents every database without a dialect.
	 * @return connections to it, each a new one
	 */
	public static DriverManagerDataSource newHsqldb() {
		return new DriverManagerDataSource("jdbc:hsqldb:mem:db%d".formatted(databases.incrementAndGet()), "sa", "");
	}

}
