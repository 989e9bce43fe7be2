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
	 * Watches in the session of the call if that is not done yet. The watch outlives
	 * connections but not the session.
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
			logger.info("ZooKeeper does not tell when a role is freed (%s); looking at it instead"
				.formatted(answer.code()));
		}
	}

	boolean isWatching(long id) {
		return this.session == id;
	}

	@Override
	public void process(WatchedEvent event) {
		boolean freed = event.getType() == Event.EventType.NodeDeleted && NodePaths.isLeader(event.getPath());
		// What happened while there was no connection is not told later.
		boolean back = event.getType() == Event.EventType.None && event.getState() == Event.KeeperState.SyncConnected;
		if (freed || back) {
			this.hint.give();
		}
	}

	/**
	 * Ends the watch in a client that goes on without us. If there is no connection the
	 * client does not ask for it when there is one again. Servers before 3.9 do not know
	 * the type of this watch by its name, and log an error if they are told it.
	 */
	void close(@Nullable ZooKeeperSession session, String path) {
		this.hint.close();
		if (session != null) {
			session.handle().removeWatches(path, this, WatcherType.Any, true, (code, asked, context) -> {
			}, null);
		}
	}

}
