package io.leaderstarter.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

/**
 * One connection that is kept open for us alone, so that an application that uses up its
 * pool does not keep us from renewing. It is replaced whenever something went wrong with
 * it, and if it does not answer after it was idle for long. Used by one thread at a time.
 * <p>
 * It commits by itself after every statement. A statement within a transaction could see
 * a clock that stands still, and would take effect at an unknown time.
 *
 * @since 0.1.0
 */
public final class DedicatedConnection implements AutoCloseable {

	private static final Executor SAME_THREAD = Runnable::run;

	/** Longer than a connection is idle that renews leases. */
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
	 * Makes the connection, which is opened when it is first used.
	 * @param dataSource where connections come from
	 */
	public DedicatedConnection(DataSource dataSource) {
		this(dataSource, TRUSTED_FOR);
	}

	/**
	 * Makes a connection.
	 * @param trustedFor how long it may be idle before it is tried
	 */
	DedicatedConnection(DataSource dataSource, Duration trustedFor) {
		this.attempts = new ConnectionAttempts(dataSource);
		this.trustedFor = trustedFor;
		this.canceller = new ScheduledThreadPoolExecutor(1, (task) -> {
			Thread thread = new Thread(task, "leader-cancel");
			thread.setDaemon(true);
			return thread;
		});
		this.canceller.setRemoveOnCancelPolicy(true);
		this.canceller.setKeepAliveTime(10, TimeUnit.SECONDS);
		this.canceller.allowCoreThreadTimeOut(true);
	}

	/**
	 * Sets what every new connection must pass.
	 * @param check throws if the connection is of no use
	 */
	public void checkNew(Work<?> check) {
		this.check = check;
	}

	/**
	 * Does something with the connection. After any exception the next call gets a new
	 * one, as nobody knows what the old one would still do.
	 * <p>
	 * After three quarters of the time the server is told to cancel, or it would go on
	 * with a statement that waits for a lock, one more with every try. When the time is
	 * over the driver stops waiting, whatever the server does.
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
				// A process that stood still hears that time is over before it has told
				// the server to cancel.
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
	 * Ends the connection until it is needed again. Not while something is done with it.
	 */
	public void rest() {
		Connection open = this.connection;
		this.connection = null;
		if (open != null) {
			ConnectionAttempts.closeQuietly(open);
		}
	}

	@Override
	public void close() {
		this.closed = true;
		// What is to be cancelled still is.
		this.canceller.shutdown();
		rest();
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
			// It was closed meanwhile, by another thread, which did not see this one.
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
	 * Returns whether a connection still works, as far as is known. One that nobody has
	 * used for a while may have been ended by the server or by what is in between, and
	 * the next call may be a hand-over that should not fail for that.
	 */
	private boolean isUsable(Connection known, long end) throws SQLException {
		if (known.isClosed()) {
			return false;
		}
		return System.nanoTime() - this.usedAt < this.trustedFor.toNanos() || answers(known, end);
	}

	/** Half of the time is for a new connection, if there is no answer. */
	private boolean answers(Connection known, long end) {
		long patience = (end - System.nanoTime()) / 2;
		Future<?> aborting = this.canceller.schedule(() -> abort(known), patience, TimeUnit.NANOSECONDS);
		boolean valid;
		try {
			valid = known.isValid((int) (1 + Math.max(0, patience) / 1_000_000_000));
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
	 * What cancels needs the connection, so the connection is kept until that is done,
	 * which it may be or be under way already.
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

	private static void abort(Connection connection) {
		try {
			// Not close() alone: that may talk to the server, which may not answer.
			connection.abort(SAME_THREAD);
		}
		catch (SQLException | RuntimeException | AbstractMethodError ex) {
			// What is broken need not be closed well.
		}
		ConnectionAttempts.closeQuietly(connection);
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
	 * Something to do with the connection.
	 *
	 * @param <T> the result
	 */
	@FunctionalInterface
	public interface Work<T> {

		/**
		 * Does it.
		 * @param session the connection, for this work only
		 * @return the result
		 * @throws SQLException if it fails
		 */
		T run(JdbcSession session) throws SQLException;

	}

}
