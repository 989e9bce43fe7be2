package io.leaderstarter.backend.zookeeper;

import io.leaderstarter.backend.support.FreeRoleHint;
import io.leaderstarter.election.spi.Platform;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.jspecify.annotations.Nullable;

/**
 * Is notified of every role that becomes free, by one watch for all of them.
 */
final class FreedRoles implements Watcher {

	private static final Log logger = LogFactory.getLog(FreedRoles.class);

	private final FreeRoleHint hint;

	private volatile long session;

	private boolean warned;

	FreedRoles(Runnable listener) {
		this.hint = new FreeRoleHint(Platform.SYSTEM, listener);
	}

	/**
	 * Watch in the session of the call, once per session. The watch survives reconnects
	 * but not the session.
	 */
	void watch(ZooKeeperCall call, String path) {
		long id = call.session().id();
		if (this.session == id) {
			return;
		}
		ZooKeeperCall.Answer answer = call.await(call.watch(path, this));
		if (answer.isOk()) {
			this.session = id;
		}
		else if (!this.warned) {
			this.warned = true;
			logger.info("ZooKeeper does not notify this member of freed roles (%s); polling instead"
				.formatted(answer.code()));
		}
	}

	boolean isWatching(long id) {
		return this.session == id;
	}

	@Override
	public void process(WatchedEvent event) {
		boolean freed = event.getType() == Event.EventType.NodeDeleted && NodePaths.isLeader(event.getPath());
		// Deletions while there was no connection may not be reported.
		boolean back = event.getType() == Event.EventType.None && event.getState() == Event.KeeperState.SyncConnected;
		if (freed || back) {
			this.hint.give();
		}
	}

	/**
	 * End the watch in a client of the application. Without a connection the client does
	 * not register it again after reconnecting. Servers before 3.9 log an error if they
	 * are sent the type of this watch.
	 */
	void close(@Nullable ZooKeeperSession session, String path) {
		this.hint.close();
		if (session != null) {
			session.handle().removeWatches(path, this, WatcherType.Any, true, (code, asked, context) -> {
			}, null);
		}
	}

}
