package io.leaderstarter.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import javax.sql.DataSource;

import io.leaderstarter.election.spi.Platform;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.support.JdbcUtils;

/**
 * Opens connections on other threads, since the time-outs of drivers and pools are not
 * those of the caller. A connection that is opened too late is closed, unless the next
 * call is waiting for one.
 * <p>
 * A server that accepts connections and never answers keeps the thread of an attempt for
 * as long as the driver waits, maybe for ever. So only a few attempts run at a time:
 * while they hang, a call waits for the first one that ends. Further attempts are started
 * at growing intervals, as the server may answer a new one although it has lost the
 * others.
 */
final class ConnectionAttempts {

	/** The number of hanging attempts from which on further ones are delayed. */
	private static final int SEVERAL = 8;

	private static final Duration FIRST_PAUSE = Duration.ofSeconds(5);

	/** A server that is back is found within two minutes. */
	private static final int MOST_DOUBLINGS = 4;

	private final DataSource dataSource;

	private int hanging;

	private long lastBegun;

	private @Nullable Demand waiting;

	ConnectionAttempts(DataSource dataSource) {
		this.dataSource = dataSource;
	}

	/**
	 * Connect. Called by one thread at a time.
	 * @param timeout how long to wait
	 */
	Connection connect(Duration timeout) throws SQLException {
		Demand demand = new Demand();
		begin(demand);
		try {
			demand.connection.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (TimeoutException ex) {
			demand.connection.completeExceptionally(
					new SQLTimeoutException("No connection within " + timeout.toMillis() + " ms", ex));
		}
		catch (InterruptedException ex) {
			demand.connection.completeExceptionally(new SQLException("Interrupted while connecting", ex));
			Thread.currentThread().interrupt();
		}
		catch (ExecutionException ex) {
			// See below.
		}
		finally {
			forget();
		}
		return outcome(demand.connection);
	}

	/**
	 * Return the connection, or throw why there is none. It may have been opened just as
	 * the wait ended.
	 */
	private static Connection outcome(CompletableFuture<Connection> connection) throws SQLException {
		try {
			return connection.join();
		}
		catch (CompletionException ex) {
			if (ex.getCause() instanceof SQLException sqlException) {
				throw sqlException;
			}
			throw new SQLException("No connection: " + ex.getCause(), ex.getCause());
		}
	}

	private synchronized void begin(Demand demand) {
		long now = System.nanoTime();
		int more = this.hanging - SEVERAL;
		if (more < 0 || now - this.lastBegun >= FIRST_PAUSE.toNanos() << Math.min(more, MOST_DOUBLINGS)) {
			Platform.thread("leader-connect", () -> attempt(demand)).start();
			demand.attempted = true;
			this.lastBegun = now;
			this.hanging++;
		}
		this.waiting = demand;
	}

	private synchronized void forget() {
		this.waiting = null;
	}

	private void attempt(Demand first) {
		Demand demand = first;
		while (demand != null) {
			try {
				connected(this.dataSource.getConnection());
				return;
			}
			catch (Throwable ex) {
				demand.connection.completeExceptionally(ex);
				demand = failed();
			}
		}
	}

	private void connected(Connection opened) {
		Demand demand;
		synchronized (this) {
			this.hanging--;
			demand = this.waiting;
		}
		if (demand == null || !demand.connection.complete(opened)) {
			JdbcUtils.closeConnection(opened);
		}
	}

	/**
	 * Take note that an attempt failed.
	 * @return the waiting call that had no attempt yet, {@code null} if there is none
	 */
	private synchronized @Nullable Demand failed() {
		Demand demand = this.waiting;
		if (demand == null || demand.attempted) {
			this.hanging--;
			return null;
		}
		demand.attempted = true;
		this.lastBegun = System.nanoTime();
		return demand;
	}

	/** A call that waits for a connection. */
	private static final class Demand {

		private final CompletableFuture<Connection> connection = new CompletableFuture<>();

		/** Whether an attempt was begun for it. */
		private boolean attempted;

	}

}
