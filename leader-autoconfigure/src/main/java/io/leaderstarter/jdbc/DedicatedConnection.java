package io.leaderstarter.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import javax.sql.DataSource;

import io.leaderstarter.election.spi.Platform;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.support.JdbcUtils;

/**
 * A connection outside of the application's pool, so that leases are renewed even if the
 * pool is exhausted. It is replaced after every failure, and if it does not answer after
 * a long idle time. Used by one thread at a time.
 * <p>
 * It is in autocommit mode. Within a transaction the clock of some databases stops, and a
 * statement takes effect at an unknown time.
 *
 * @since 0.1.0
 */
public final class DedicatedConnection implements AutoCloseable {

	/** Longer than a connection that renews leases is ever idle. */
	private static final Duration TRUSTED_FOR = Duration.ofSeconds(10);

	private final ConnectionAttempts attempts;

	private final Duration trustedFor;

	private final ScheduledThreadPoolExecutor canceller;

	private volatile @Nullable Connection connection;

	/** As {@link System#nanoTime()}. */
	private long usedAt;

	private @Nullable Work<?> check;

	private volatile boolean closed;

	/**
	 * Create a new connection, which is opened when it is first used.
	 * @param dataSource where connections come from
	 */
	public DedicatedConnection(DataSource dataSource) {
		this(dataSource, TRUSTED_FOR);
	}

	/**
	 * Create a new connection.
	 * @param trustedFor how long it may be idle before it is tried
	 */
	DedicatedConnection(DataSource dataSource, Duration trustedFor) {
		this.attempts = new ConnectionAttempts(dataSource);
		this.trustedFor = trustedFor;
		this.canceller = new ScheduledThreadPoolExecutor(1, (task) -> Platform.thread("leader-cancel", task));
		this.canceller.setRemoveOnCancelPolicy(true);
		this.canceller.setKeepAliveTime(10, TimeUnit.SECONDS);
		this.canceller.allowCoreThreadTimeOut(true);
	}

	/**
	 * Set a check for every new connection.
	 * @param check throws if the connection is of no use
	 */
	public void checkNew(Work<?> check) {
		this.check = check;
	}

	/**
	 * Run work on the connection. After any exception the next call gets a new
	 * connection, as a statement may still run on the old one.
	 * <p>
	 * After three quarters of the time-out the statement is cancelled in the server.
	 * Otherwise every try would leave one more statement there that waits for a lock.
	 * When the time-out is over the driver stops waiting, whatever the server does.
	 * @param <T> the result
	 * @param timeout how long all of it may take
	 * @param work what to do
	 * @return the result
	 * @throws SQLException if it fails or takes too long
	 */
	public <T> T execute(Duration timeout, Work<T> work) throws SQLException {
		long end = System.nanoTime() + timeout.toNanos();
		JdbcSession session;
		Future<?> cancelling;
		try {
			session = open(end);
			session.limitToTimeLeft();
			cancelling = this.canceller.schedule(session::cancel, (end - System.nanoTime()) * 3 / 4,
					TimeUnit.NANOSECONDS);
		}
		catch (RejectedExecutionException ex) {
			discard();
			throw closed();
		}
		catch (SQLException | RuntimeException | Error ex) {
			discard();
			throw ex;
		}
		try {
			T result = work.run(session);
			if (!session.end()) {
				cancelAndDiscard(session);
			}
			return result;
		}
		catch (SQLException | RuntimeException | Error ex) {
			boolean inTime = System.nanoTime() - end < 0;
			if (inTime && session.end()) {
				discard();
			}
			else {
				// After a pause of the process the time-out may be over before the
				// statement was cancelled.
				cancelAndDiscard(session);
			}
			throw ex;
		}
		finally {
			cancelling.cancel(false);
			this.usedAt = System.nanoTime();
		}
	}

	/**
	 * End the connection until it is needed again. Must not be called while the
	 * connection is used.
	 */
	public void disconnect() {
		Connection open = this.connection;
		this.connection = null;
		JdbcUtils.closeConnection(open);
	}

	@Override
	public void close() {
		this.closed = true;
		// Statements that are to be cancelled still are.
		this.canceller.shutdown();
		disconnect();
	}

	private JdbcSession open(long end) throws SQLException {
		if (this.closed) {
			throw closed();
		}
		Connection known = this.connection;
		if (known != null) {
			if (isUsable(known, end)) {
				commitAlways(known);
				return new JdbcSession(known, end);
			}
			discard();
		}
		Connection opened = this.attempts.connect(Duration.ofNanos(Math.max(1, end - System.nanoTime())));
		this.connection = opened;
		if (this.closed) {
			// Another thread closed it meanwhile, and did not see this connection.
			throw closed();
		}
		JdbcSession session = new JdbcSession(opened, end);
		session.limitToTimeLeft();
		commitAlways(opened);
		if (this.check != null) {
			this.check.run(session);
		}
		return session;
	}

	/**
	 * Return whether a connection still works, as far as is known. The server or a
	 * firewall may have closed one that was idle for long, and the next call may be a
	 * hand-over, which should not fail for that.
	 */
	private boolean isUsable(Connection known, long end) throws SQLException {
		return !known.isClosed()
				&& (System.nanoTime() - this.usedAt < this.trustedFor.toNanos() || answers(known, end));
	}

	/** Half of the time is left for a new connection, if there is no answer. */
	private boolean answers(Connection known, long end) {
		long timeout = (end - System.nanoTime()) / 2;
		Future<?> aborting = this.canceller.schedule(() -> abort(known), timeout, TimeUnit.NANOSECONDS);
		boolean valid;
		try {
			valid = known.isValid((int) (1 + Math.max(0, timeout) / 1_000_000_000));
		}
		catch (SQLException | RuntimeException | AbstractMethodError ex) {
			valid = false;
		}
		return aborting.cancel(false) && valid;
	}

	private void discard() {
		Connection open = this.connection;
		this.connection = null;
		if (open != null) {
			abort(open);
		}
	}

	/**
	 * The connection is aborted only after its statement was cancelled, which needs the
	 * connection.
	 */
	private void cancelAndDiscard(JdbcSession session) {
		Connection open = this.connection;
		this.connection = null;
		if (open == null) {
			return;
		}
		try {
			this.canceller.execute(() -> {
				session.cancel();
				abort(open);
			});
		}
		catch (RejectedExecutionException ex) {
			abort(open);
		}
	}

	/**
	 * Close a connection whose server may not answer, and end what waits for it.
	 * @param connection the connection
	 */
	public static void abort(Connection connection) {
		try {
			// Not close() alone: that may send a request to a server that does not
			// answer.
			connection.abort(Runnable::run);
		}
		catch (SQLException | RuntimeException | AbstractMethodError ex) {
			// What is broken need not be closed well.
		}
		JdbcUtils.closeConnection(connection);
	}

	private static void commitAlways(Connection connection) throws SQLException {
		if (!connection.getAutoCommit()) {
			connection.setAutoCommit(true);
		}
	}

	private static SQLException closed() {
		return new SQLException("The connection was closed, as the application stops");
	}

	/**
	 * Work that is done with the connection.
	 *
	 * @param <T> the result
	 */
	@FunctionalInterface
	public interface Work<T> {

		/**
		 * Do the work.
		 * @param session the connection, for this work only
		 * @return the result
		 * @throws SQLException if it fails
		 */
		T run(JdbcSession session) throws SQLException;

	}

}
