package io.leaderstarter.backend.zookeeper;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.leaderstarter.election.spi.Platform;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Detects that the server of a session has stopped without closing its connections, and
 * moves the session to another one before the terms end. The client of ZooKeeper would
 * wait for two thirds of the session time-out.
 * <p>
 * Requests of a session are answered in order, after those that need a majority. So a
 * missing answer does not mean that this server has stopped: if the leader of the
 * ensemble has, all members would leave the other servers to no effect. That is why the
 * server is checked on another connection, too.
 * <p>
 * It counts missing answers and not time, so that a pause of this process does not count
 * against the server.
 */
final class ServerPulse {

	/** Beats per session time-out. */
	private static final int BEATS = 16;

	private static final int MOST_MISSED = 2;

	private static final Log logger = LogFactory.getLog(ServerPulse.class);

	private final LeaderZooKeeper session;

	private final ServerCheck servers;

	private final int intervalMillis;

	private int missed;

	private volatile boolean asked;

	private volatile boolean checking;

	ServerPulse(LeaderZooKeeper session, ServerCheck servers, int sessionTimeoutMillis) {
		this.session = session;
		this.servers = servers;
		this.intervalMillis = Math.max(1, sessionTimeoutMillis / BEATS);
	}

	void start() {
		CompletableFuture.delayedExecutor(this.intervalMillis, TimeUnit.MILLISECONDS, Runnable::run)
			.execute(this::beat);
	}

	private void beat() {
		if (!this.session.getState().isAlive()) {
			return;
		}
		if (!this.asked || !this.session.getState().isConnected()) {
			this.missed = 0;
			ask();
		}
		else {
			this.missed++;
			InetSocketAddress server = this.session.server();
			if (!this.checking && server != null) {
				check(server, this.missed >= MOST_MISSED);
			}
		}
		start();
	}

	private void ask() {
		if (this.session.getState().isConnected()) {
			this.asked = true;
			this.session.exists("/", false, (code, path, context, stat) -> this.asked = false, null);
		}
	}

	/**
	 * Check the server on a new thread, as it may take a while. The timer thread is
	 * shared, and the common pool may be busy for longer than the terms last.
	 * @param server the server
	 * @param often whether several answers are missing
	 */
	private void check(InetSocketAddress server, boolean often) {
		this.checking = true;
		Platform.thread("leader-zookeeper-check", () -> {
			try {
				ServerCheck.Finding found = this.servers.ask(server, this.intervalMillis, this.intervalMillis);
				if (!this.asked || !server.equals(this.session.server())) {
					return;
				}
				if (!found.isAlive()) {
					leaveServer(
							"The ZooKeeper server at %s does not answer; connecting to another one".formatted(server));
				}
				else if (often && found.idle()) {
					// The request did not reach the server.
					leaveServer(
							"The connection to the ZooKeeper server at %s is dead; connecting again".formatted(server));
				}
				else {
					logger.debug("The ZooKeeper server at %s is alive, but waits for the others".formatted(server));
				}
			}
			finally {
				this.checking = false;
			}
		}).start();
	}

	private void leaveServer(String why) {
		logger.info(why);
		try {
			this.session.leaveServer();
			// The client detects that the connection was closed when it sends something.
			ask();
		}
		catch (IOException ex) {
			logger.debug("The connection could not be closed", ex);
		}
	}

}
