package io.leaderstarter.backend.zookeeper;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.jspecify.annotations.Nullable;

/**
 * Hears of every role that becomes free, by one watch for all of them. What is heard is
 * only a hint to look.
 * <p>
 * All members hear of it. They look after a random time, so that the first has taken the
 * role when most of the others look, and those find nothing to ask for.
 */
final class FreedRoles implements Watcher {

	private static final Log logger = LogFactory.getLog(FreedRoles.class);

	private static final int LONGEST_DELAY_MILLIS = 50;

	private final Runnable listener;

	private final AtomicBoolean telling = new AtomicBoolean();

	private volatile long session;

	private volatile boolean closed;

	private boolean warned;

	FreedRoles(Runnable listener) {
		this.listener = listener;
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
		if ((freed || back) && !this.closed && this.telling.compareAndSet(false, true)) {
			Executor later = CompletableFuture.delayedExecutor(
					ThreadLocalRandom.current().nextInt(LONGEST_DELAY_MILLIS), TimeUnit.MILLISECONDS, Runnable::run);
			later.execute(this::tell);
		}
	}

	/**
	 * Ends the watch in a client that goes on without us. If there is no connection the
	 * client does not ask for it when there is one again. Servers before 3.9 do not know
	 * the type of this watch by its name, and log an error if they are told it.
	 */
	void close(@Nullable ZooKeeperSession session, String path) {
		this.closed = true;
		if (session != null) {
			session.handle().removeWatches(path, this, WatcherType.Any, true, (code, asked, context) -> {
			}, null);
		}
	}

	/** What is heard from here on is told again. */
	private void tell() {
		this.telling.set(false);
		if (!this.closed) {
			this.listener.run();
		}
	}

}
