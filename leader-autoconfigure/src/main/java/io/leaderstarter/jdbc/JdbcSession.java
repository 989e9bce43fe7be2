package io.leaderstarter.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;

import org.jspecify.annotations.Nullable;

/**
 * A connection for the time of one piece of work. It knows the statement that runs, so
 * that the statement can be cancelled when its time is over.
 *
 * @since 0.1.0
 */
public final class JdbcSession {

	private final Connection connection;

	private volatile @Nullable Statement running;

	JdbcSession(Connection connection) {
		this.connection = connection;
	}

	/**
	 * Returns the connection, which commits by itself.
	 * @return the connection
	 */
	public Connection connection() {
		return this.connection;
	}

	/**
	 * Prepares a statement.
	 * @param sql the statement
	 * @return the statement, to be closed by the caller
	 * @throws SQLException if it fails
	 */
	public PreparedStatement prepare(String sql) throws SQLException {
		PreparedStatement statement = this.connection.prepareStatement(sql);
		this.running = statement;
		return statement;
	}

	/**
	 * Makes a statement.
	 * @return the statement, to be closed by the caller
	 * @throws SQLException if it fails
	 */
	public Statement createStatement() throws SQLException {
		Statement statement = this.connection.createStatement();
		this.running = statement;
		return statement;
	}

	/**
	 * Tells the server to end what runs. Called by another thread, and may take as long
	 * as the driver likes.
	 */
	void cancel() {
		Statement statement = this.running;
		if (statement != null) {
			try {
				statement.cancel();
			}
			catch (SQLException | RuntimeException ex) {
				// The time-out of the connection ends the wait; only the server works on.
			}
		}
	}

}
