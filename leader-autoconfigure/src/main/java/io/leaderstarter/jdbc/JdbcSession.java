package io.leaderstarter.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLTimeoutException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import org.springframework.jdbc.core.RowMapperResultSetExtractor;
import org.springframework.jdbc.core.ArgumentPreparedStatementSetter;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.RowMapper;

/**
 * The connection during one piece of work. It knows the statement that runs, so that the
 * statement can be cancelled when its time-out is over.
 *
 * @since 0.1.0
 */
public final class JdbcSession {

	private final Connection connection;

	private final long end;

	/** Whether the work is done or cancelled. */
	private final AtomicBoolean over = new AtomicBoolean();

	private volatile @Nullable Statement running;

	/**
	 * Create a new session.
	 * @param connection the connection
	 * @param end when the work has to be done, as {@link System#nanoTime()}
	 */
	JdbcSession(Connection connection, long end) {
		this.connection = connection;
		this.end = end;
	}

	/**
	 * Return the connection, which is in autocommit mode.
	 * @return the connection
	 */
	public Connection connection() {
		return this.connection;
	}

	/**
	 * Prepare a statement.
	 * @param sql the statement
	 * @param parameters its parameters, none if they are set later
	 * @return the statement, to be closed by the caller
	 * @throws SQLException if it fails
	 */
	public PreparedStatement prepare(String sql, Object... parameters) throws SQLException {
		limitToTimeLeft();
		PreparedStatement statement = this.connection.prepareStatement(sql);
		this.running = statement;
		try {
			bind(statement, parameters);
			return statement;
		}
		catch (Throwable ex) {
			statement.close();
			throw ex;
		}
	}

	/**
	 * Set the parameters of a statement.
	 * @param statement the statement
	 * @param parameters its parameters
	 * @throws SQLException if it fails
	 */
	public static void bind(PreparedStatement statement, Object... parameters) throws SQLException {
		new ArgumentPreparedStatementSetter(parameters).setValues(statement);
	}

	/**
	 * Return placeholders of parameters, to come after {@code in}.
	 * @param count how many
	 * @return the placeholders, in parentheses
	 */
	public static String placeholders(int count) {
		return "(" + String.join(", ", Collections.nCopies(count, "?")) + ")";
	}

	/**
	 * Change rows.
	 * @param sql the statement
	 * @param parameters its parameters
	 * @return how many rows were changed
	 * @throws SQLException if it fails
	 */
	public int update(String sql, Object... parameters) throws SQLException {
		try (PreparedStatement statement = prepare(sql, parameters)) {
			return statement.executeUpdate();
		}
	}

	/**
	 * Read rows.
	 * @param <T> what is read from a row
	 * @param sql the query
	 * @param mapper reads a row
	 * @param parameters the parameters of the query
	 * @return what was read, in the order of the rows
	 * @throws SQLException if it fails
	 */
	public <T> List<T> query(String sql, RowMapper<T> mapper, Object... parameters) throws SQLException {
		try (PreparedStatement statement = prepare(sql, parameters)) {
			return read(statement, mapper);
		}
	}

	/**
	 * Read rows by a statement that has its parameters.
	 * @param <T> what is read from a row
	 * @param statement the query
	 * @param mapper reads a row
	 * @return what was read, in the order of the rows
	 * @throws SQLException if it fails
	 */
	public static <T> List<T> read(PreparedStatement statement, RowMapper<T> mapper) throws SQLException {
		try (ResultSet rows = statement.executeQuery()) {
			return new RowMapperResultSetExtractor<>(mapper).extractData(rows);
		}
	}

	/**
	 * Do work in one transaction, which is rolled back if the work fails, whatever the
	 * failure is.
	 * @param <T> the result
	 * @param work what to do
	 * @return the result
	 * @throws SQLException if it fails
	 */
	public <T> T inTransaction(DedicatedConnection.Work<T> work) throws SQLException {
		this.connection.setAutoCommit(false);
		T result;
		try {
			result = work.run(this);
			this.connection.commit();
		}
		catch (Throwable ex) {
			rollback(ex);
			throw ex;
		}
		// Only now, as this would commit what is still open.
		this.connection.setAutoCommit(true);
		return result;
	}

	/**
	 * Do work in a transaction that is rolled back in any case.
	 * @param <T> the result
	 * @param work what to do
	 * @return the result
	 * @throws SQLException if it fails
	 */
	public <T> T inRolledBackTransaction(DedicatedConnection.Work<T> work) throws SQLException {
		return inTransaction((session) -> {
			T result = work.run(session);
			// Leaves nothing to commit.
			this.connection.rollback();
			return result;
		});
	}

	private void rollback(Throwable cause) {
		try {
			this.connection.rollback();
			this.connection.setAutoCommit(true);
		}
		catch (SQLException | RuntimeException ex) {
			// The connection is not used again after a failure.
			cause.addSuppressed(ex);
		}
	}

	/**
	 * Limit how long the driver waits for the server to the time that is left for the
	 * work. Otherwise each statement would have the time-out of all.
	 * <p>
	 * With a driver that cannot do that, statements are only cancelled.
	 */
	void limitToTimeLeft() throws SQLException {
		Duration left = Duration.ofNanos(this.end - System.nanoTime());
		if (left.toMillis() <= 0) {
			throw new SQLTimeoutException("The time-out of the call is over");
		}
		try {
			this.connection.setNetworkTimeout(Runnable::run, (int) left.toMillis());
		}
		catch (SQLFeatureNotSupportedException | AbstractMethodError ex) {
			// Not every driver supports it; see above.
		}
	}

	/**
	 * End the work, so that it is not cancelled any more.
	 * @return false if it is being cancelled already, which could also cancel the next
	 * statement on the connection
	 */
	boolean end() {
		return this.over.compareAndSet(false, true);
	}

	/**
	 * Cancel the running statement in the server, unless the work is done. Called by
	 * another thread; the driver decides how long it takes.
	 */
	void cancel() {
		Statement statement = this.running;
		if (statement != null && this.over.compareAndSet(false, true)) {
			try {
				if (!PostgresDriver.cancel(this.connection)) {
					statement.cancel();
				}
			}
			catch (SQLException | RuntimeException ex) {
				// The network time-out ends the wait; only the server goes on.
			}
		}
	}

}
