package io.leaderstarter.backend.zookeeper;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Notices that the server which a session talks to has stopped without ending its
 * connections, and lets the session go to another one while the terms still last. The
 * client of ZooKeeper waits for two thirds of the session's time before it does that.
 * <p>
 * In a session everything waits for what was asked before, also for what the servers have
 * to agree on. So a request that is not answered does not mean that this server stopped:
 * the one that leads the others may have, and then the rest of them would be left in
 * vain, by all members at once. That is why the server is asked on another connection,
 * too.
 * <p>
 * It counts how often it found no answer, not for how long, so that it does not blame the
 * server for a pause of this process.
 */
final class ServerPulse {

	/** Beats in the time that the session lasts without us. */
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
	 * Asks the server itself. This may take a moment. The thread that beats serves others
	 * too, and the pool that all share may be busy for longer than our terms last.
	 * @param server the server
	 * @param often whether an answer that came in between can be ruled out
	 */
	private void check(InetSocketAddress server, boolean often) {
		this.checking = true;
		Thread checking = new Thread(() -> {
			try {
				ServerCheck.Finding found = this.servers.ask(server, this.intervalMillis);
				if (!this.asked || !server.equals(this.session.server())) {
					return;
				}
				if (!found.isAlive()) {
					leaveServer("The ZooKeeper server at %s does not answer; going to another one".formatted(server));
				}
				else if (often && found.idle()) {
					// What was asked never got there.
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
		}, "leader-zookeeper-check");
		checking.setDaemon(true);
		checking.start();
	}

	private void leaveServer(String why) {
		logger.info(why);
		try {
			this.session.leaveServer();
			// The client finds out that the connection has ended when it sends something.
			ask();
		}
		catch (IOException ex) {
			logger.debug("The connection could not be ended", ex);
		}
	}

}
