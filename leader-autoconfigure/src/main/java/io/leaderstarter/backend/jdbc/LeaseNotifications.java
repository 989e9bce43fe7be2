package io.leaderstarter.backend.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

import javax.sql.DataSource;

import io.leaderstarter.jdbc.JdbcDialects;
import io.leaderstarter.election.spi.Platform;
import io.leaderstarter.jdbc.DedicatedConnection;
import io.leaderstarter.jdbc.JdbcSession;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * Listens for notifications of PostgreSQL that a lease was freed. A notification only
 * causes a poll. So if anything fails here, a freed role is found after the poll
 * interval.
 * <p>
 * It has a separate connection and a thread, as listening blocks the connection. It
 * relies on the connection only after it has received a notification that was sent over
 * another one: a pooler in front of the database can swallow notifications.
 */
final class LeaseNotifications implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(LeaseNotifications.class);

	/** How long to listen before the connection is verified. */
	private static final int LISTEN_MILLIS = 10_000;

	private static final Duration HELLO_TIMEOUT = Duration.ofSeconds(5);

	private static final int NETWORK_TIMEOUT_MILLIS = 5000;

	private static final Duration RETRY = Duration.ofSeconds(5);

	private static final int LONGEST_CHANNEL = 63;

	private final DataSource dataSource;

	private final String channel;

	private final String namespace;

	private final Runnable listener;

	private final Platform.Worker worker;

	private volatile @Nullable Connection connection;

	private volatile boolean listening;

	private volatile boolean closed;

	private boolean warned;

	LeaseNotifications(DataSource dataSource, String table, String namespace, Runnable listener) {
		this.dataSource = dataSource;
		this.channel = channel(table);
		this.namespace = namespace;
		this.listener = listener;
		this.worker = Platform.SYSTEM.worker("leader-listen", this::tryToListen);
	}

	private static String channel(String table) {
		return (table.length() <= LONGEST_CHANNEL) ? table : "leader_" + Integer.toHexString(table.hashCode());
	}

	void start() {
		this.worker.start();
	}

	/** Notify all members that a lease was freed. */
	void send(JdbcSession session) throws SQLException {
		send(session.connection(), this.namespace);
	}

	/** Return whether notifications are received at present. */
	boolean isListening() {
		return this.listening;
	}

	@Override
	public void close() {
		this.closed = true;
		Connection open = this.connection;
		if (open != null) {
			DedicatedConnection.abort(open);
		}
		this.worker.stop(Duration.ZERO);
	}

	private Duration tryToListen() {
		try (Connection open = this.dataSource.getConnection()) {
			this.connection = open;
			listen(open);
		}
		catch (Throwable ex) {
			// Errors too, as this thread would log them otherwise.
			if (!this.closed && !this.warned) {
				this.warned = true;
				logger.info("Not listening from the database when a role is freed (%s); polling instead"
					.formatted(ex.getMessage()));
			}
		}
		finally {
			this.listening = false;
			this.connection = null;
		}
		return RETRY;
	}

	private void listen(Connection open) throws SQLException {
		open.setAutoCommit(true);
		open.setNetworkTimeout(Runnable::run, NETWORK_TIMEOUT_MILLIS);
		PGConnection postgres = open.unwrap(PGConnection.class);
		JdbcDialects.execute(open, "listen \"" + this.channel + "\"");
		awaitHello(postgres);
		this.listening = true;
		// A role may have been freed before.
		this.listener.run();
		while (!this.closed) {
			List<String> received = receive(postgres, LISTEN_MILLIS);
			if (received.isEmpty()) {
				JdbcDialects.execute(open, "select 1");
			}
			else if (received.contains(this.namespace)) {
				this.listener.run();
			}
		}
	}

	private void awaitHello(PGConnection postgres) throws SQLException {
		String hello = "hello " + UUID.randomUUID();
		try (Connection other = this.dataSource.getConnection()) {
			other.setAutoCommit(true);
			other.setNetworkTimeout(Runnable::run, NETWORK_TIMEOUT_MILLIS);
			send(other, hello);
		}
		long end = System.nanoTime() + HELLO_TIMEOUT.toNanos();
		for (long left = HELLO_TIMEOUT.toMillis(); left > 0; left = (end - System.nanoTime()) / 1_000_000) {
			if (receive(postgres, (int) left).contains(hello)) {
				return;
			}
		}
		throw new SQLException("a notification that was sent did not arrive; is there a pooler in between?");
	}

	private static List<String> receive(PGConnection postgres, int millis) throws SQLException {
		PGNotification[] received = postgres.getNotifications(millis);
		return (received != null) ? Stream.of(received).map(PGNotification::getParameter).toList() : List.of();
	}

	private void send(Connection connection, String what) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement("select pg_notify(?, ?)")) {
			JdbcSession.bind(statement, this.channel, what);
			statement.executeQuery().close();
		}
	}

}
