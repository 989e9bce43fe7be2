package io.leaderstarter.backend.zookeeper;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Notices that the server which a session talks to has stopped without ending its
 * connections, and lets the session go to another one while the terms still last. The
 * client of ZooKeeper waits for two thirds of the session's time before it does that.
 * <p>
 * It asks for something that every server answers by itself. It counts how often it found
 * no answer, not for how long, so that it does not blame the server for a pause of this
 * process.
 */
final class ServerPulse {

	/** Beats in the time that the session lasts without us. */
	private static final int BEATS = 16;

	private static final int MOST_MISSED = 2;

	private static final Log logger = LogFactory.getLog(ServerPulse.class);

	private final LeaderZooKeeper session;

	private final long intervalMillis;

	private int missed;

	private volatile boolean asked;

	ServerPulse(LeaderZooKeeper session, int sessionTimeoutMillis) {
		this.session = session;
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
		else if (++this.missed >= MOST_MISSED) {
			this.missed = 0;
			// This may take a moment. The thread that beats serves others too, and the
			// pool that all share may be busy for longer than our terms last.
			Thread leaving = new Thread(this::leaveServer, "leader-zookeeper-leaving");
			leaving.setDaemon(true);
			leaving.start();
		}
		start();
	}

	private void ask() {
		if (this.session.getState().isConnected()) {
			this.asked = true;
			this.session.exists("/", false, (code, path, context, stat) -> this.asked = false, null);
		}
	}

	private void leaveServer() {
		logger
			.info("The ZooKeeper server at %s does not answer; going to another one".formatted(this.session.server()));
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
