package io.leaderstarter.backend.jdbc;

import org.springframework.util.ClassUtils;

/**
 * Whether PostgreSQL's own driver is there. Other drivers speak with PostgreSQL too, but
 * each listens in its own way.
 */
final class PostgresDriver {

	private static final boolean PRESENT = ClassUtils.isPresent("org.postgresql.PGConnection",
			PostgresDriver.class.getClassLoader());

	private PostgresDriver() {
	}

	static boolean isPresent() {
		return PRESENT;
	}

}
