package io.leaderstarter.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

import org.postgresql.PGConnection;
import org.postgresql.jdbc.PreferQueryMode;

import org.springframework.util.ClassUtils;

/**
 * What PostgreSQL's own driver can do beyond JDBC, if it is there. Other drivers speak
 * with PostgreSQL too, each in its own way.
 *
 * @since 0.1.0
 */
public final class PostgresDriver {

	private static final boolean PRESENT = ClassUtils.isPresent("org.postgresql.PGConnection",
			PostgresDriver.class.getClassLoader());

	private PostgresDriver() {
	}

	/**
	 * Returns whether the driver is on the class path.
	 * @return whether it is
	 */
	public static boolean isPresent() {
		return PRESENT;
	}

	/**
	 * Returns whether several statements with semicolons between them go to the server in
	 * one message and come back in one, so that together they take one round trip.
	 * @param connection a connection to PostgreSQL
	 * @return whether they do
	 * @throws SQLException if the connection cannot tell
	 */
	public static boolean pipelines(Connection connection) throws SQLException {
		if (!PRESENT || !connection.isWrapperFor(PGConnection.class)) {
			return false;
		}
		PreferQueryMode mode = connection.unwrap(PGConnection.class).getPreferQueryMode();
		return mode == PreferQueryMode.EXTENDED || mode == PreferQueryMode.EXTENDED_CACHE_EVERYTHING;
	}

	/**
	 * Tells the server to end what runs on a connection, if the connection is this
	 * driver's. {@code Statement.cancel()} does so too, but then the thread that runs the
	 * statement waits until it was told, even if the server is away.
	 * @return whether the connection is this driver's
	 */
	static boolean cancel(Connection connection) throws SQLException {
		if (!PRESENT || !connection.isWrapperFor(PGConnection.class)) {
			return false;
		}
		connection.unwrap(PGConnection.class).cancelQuery();
		return true;
	}

}
