package io.leaderstarter.testsupport;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

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
	 * knows HSQLDB, so it stands for every database without a dialect of its own.
	 * @return connections to it, each a new one
	 */
	public static DriverManagerDataSource newHsqldb() {
		return new DriverManagerDataSource("jdbc:hsqldb:mem:db%d".formatted(databases.incrementAndGet()), "sa", "");
	}

}
