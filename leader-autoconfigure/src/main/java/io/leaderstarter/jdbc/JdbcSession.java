package io.leaderstarter.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLTimeoutException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

/**
 * A connection for the time of one piece of work. It knows the statement that runs, so
 * that the statement can be cancelled when its time is over.
 *
 * @since 0.1.0
 */
public final class JdbcSession {

	private static final Executor SAME_THREAD = Runnable::run;

	private final Connection connection;

	private final long end;

	private final AtomicReference<State> state = new AtomicReference<>(State.OPEN);

	private volatile @Nullable Statement running;

	/**
	 * Makes the session.
	 * @param connection the connection
	 * @param end when the work has to be over, as {@link System#nanoTime()}
	 */
	JdbcSession(Connection connection, long end) {
		this.connection = connection;
		this.end = end;
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
		limitToTimeLeft();
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
		limitToTimeLeft();
		Statement statement = this.connection.createStatement();
		this.running = statement;
		return statement;
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
		return inTransaction(work, true);
	}

	/**
	 * Do work in a transaction that is rolled back in any case.
	 * @param <T> the result
	 * @param work what to do
	 * @return the result
	 * @throws SQLException if it fails
	 */
	public <T> T inRolledBackTransaction(DedicatedConnection.Work<T> work) throws SQLException {
		return inTransaction(work, false);
	}

	private <T> T inTransaction(DedicatedConnection.Work<T> work, boolean commit) throws SQLException {
		this.connection.setAutoCommit(false);
		T result;
		try {
			result = work.run(this);
			if (commit) {
				this.connection.commit();
			}
			else {
				this.connection.rollback();
			}
		}
		catch (Throwable ex) {
			rollback(ex);
			throw ex;
		}
		// Only now, as this would commit what is still open.
		this.connection.setAutoCommit(true);
		return result;
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
	 * Makes the driver wait for the server no longer than the work may still take. Each
	 * statement would have the time of all of them otherwise.
	 * <p>
	 * A driver that cannot do that is left to the cancelling of its statements.
	 */
	void limitToTimeLeft() throws SQLException {
		Duration left = Duration.ofNanos(this.end - System.nanoTime());
		if (left.toMillis() <= 0) {
			throw new SQLTimeoutException("The time for the call is over");
		}
		try {
			this.connection.setNetworkTimeout(SAME_THREAD, (int) left.toMillis());
		}
		catch (SQLFeatureNotSupportedException | AbstractMethodError ex) {
			// Not every driver has it; see above.
		}
	}

	/**
	 * Says that the work is done, so that it is cancelled no more.
	 * @return false if it is being cancelled already. That could also hit what runs on
	 * the connection next.
	 */
	boolean end() {
		return this.state.compareAndSet(State.OPEN, State.ENDED);
	}

	/**
	 * Tells the server to end what runs, if it is not done. Called by another thread, and
	 * may take as long as the driver likes.
	 */
	void cancel() {
		Statement statement = this.running;
		if (statement != null && this.state.compareAndSet(State.OPEN, State.CANCELLED)) {
			try {
				if (!PostgresDriver.cancel(this.connection)) {
					statement.cancel();
				}
			}
			catch (SQLException | RuntimeException ex) {
				// The time-out of the connection ends the wait; only the server works on.
			}
		}
	}

	private enum State {

		OPEN, CANCELLED, ENDED

	}

}
