package io.leaderstarter.testsupport;

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
	 * Makes an empty HSQLDB database that no other test knows. Nothing in the main code
	 * knows HSQLDB, so it stands for every database without a dialect of its own.
	 * @return connections to it, each a new one
	 */
	public static DriverManagerDataSource newHsqldb() {
		return new DriverManagerDataSource("jdbc:hsqldb:mem:db%d".formatted(databases.incrementAndGet()), "sa", "");
	}

}
