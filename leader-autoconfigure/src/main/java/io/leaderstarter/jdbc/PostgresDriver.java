package io.leaderstarter.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

import org.postgresql.PGConnection;
import org.postgresql.jdbc.PreferQueryMode;

import org.springframework.util.ClassUtils;

/**
 * What the driver of the PostgreSQL project can do beyond JDBC, if it is on the class
 * path. There are other drivers for PostgreSQL.
 *
 * @since 0.1.0
 */
public final class PostgresDriver {

	private static final boolean PRESENT = ClassUtils.isPresent("org.postgresql.PGConnection",
			PostgresDriver.class.getClassLoader());

	private PostgresDriver() {
	}

	/**
	 * Return whether the driver is on the class path.
	 * @return whether it is
	 */
	public static boolean isPresent() {
		return PRESENT;
	}

	/**
	 * Return whether several statements with semicolons between them take one round trip.
	 * @param connection a connection to PostgreSQL
	 * @return whether they do
	 * @throws SQLException if the connection fails
	 */
	public static boolean pipelines(Connection connection) throws SQLException {
		if (!PRESENT || !connection.isWrapperFor(PGConnection.class)) {
			return false;
		}
		PreferQueryMode mode = connection.unwrap(PGConnection.class).getPreferQueryMode();
		return mode == PreferQueryMode.EXTENDED || mode == PreferQueryMode.EXTENDED_CACHE_EVERYTHING;
	}

	/**
	 * Cancel the running statement of a connection in the server, if the connection is
	 * this driver's. {@code Statement.cancel()} also makes the thread that runs the
	 * statement wait for the cancellation, even if the server is unreachable.
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
