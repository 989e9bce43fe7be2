package io.leaderstarter.backend.etcd;

import io.etcd.jetcd.Watch;
import io.etcd.jetcd.options.WatchOption;
import io.etcd.jetcd.watch.WatchEvent;
import io.etcd.jetcd.watch.WatchResponse;
import io.leaderstarter.backend.support.FreeRoleHint;
import io.leaderstarter.election.spi.Moment;
import io.leaderstarter.election.spi.Platform;
import io.leaderstarter.election.spi.TimeSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Is notified of every role that becomes free, by one watch for all of them.
 */
final class FreedRoles {

	private static final Log logger = LogFactory.getLog(FreedRoles.class);

	/** A watch that ends at once is not made again at once. */
	private static final long PAUSE_MILLIS = 500;

	private final FreeRoleHint hint;

	private volatile boolean closed;

	private volatile @Nullable Ear ear;

	private @Nullable Moment madeAt;

	private boolean warned;

	FreedRoles(Runnable listener) {
		this.hint = new FreeRoleHint(Platform.SYSTEM, listener);
	}

	/**
	 * Watches through the server if that is not done yet. A watch that ended, as its
	 * connection did or as it was too far behind, is not gone on with but made anew:
	 * whoever makes it looks at all roles anyway.
	 */
	void watch(EtcdServer server, String prefix) {
		Ear present = this.ear;
		if (present != null && present.isListening(server)) {
			return;
		}
		Moment now = TimeSource.SYSTEM.now();
		if (this.closed || (this.madeAt != null && now.since(this.madeAt).toMillis() < PAUSE_MILLIS)) {
			return;
		}
		this.madeAt = now;
		stop();
		Ear next = new Ear(server);
		this.ear = next;
		WatchOption option = WatchOption.builder()
			.withRange(EtcdKeys.end(prefix))
			.withNoPut(true)
			.withRequireLeader(true)
			.withCreateNotify(true)
			.build();
		try {
			next.watcher = server.client().getWatchClient().watch(EtcdKeys.bytes(prefix), option, next);
		}
		catch (RuntimeException ex) {
			next.onError(ex);
		}
	}

	boolean isWatching() {
		Ear present = this.ear;
		return present != null && present.hears;
	}

	void close() {
		this.closed = true;
		this.hint.close();
		stop();
	}

	private void stop() {
		Ear former = this.ear;
		Watch.Watcher watcher = (former != null) ? former.watcher : null;
		if (watcher != null) {
			try {
				watcher.close();
			}
			catch (RuntimeException ex) {
				logger.debug("A watch in etcd did not close", ex);
			}
		}
	}

	/** Listens to one watch. */
	private final class Ear implements Watch.Listener {

		private final EtcdServer server;

		private volatile Watch.@Nullable Watcher watcher;

		private volatile boolean hears;

		private volatile boolean ended;

		private Ear(EtcdServer server) {
			this.server = server;
		}

		private boolean isListening(EtcdServer present) {
			return !this.ended && this.server == present;
		}

		@Override
		public void onNext(WatchResponse response) {
			// What happened while nobody listened is not told later.
			boolean begins = !this.hears;
			this.hears = true;
			if (begins || response.getEvents().stream().anyMatch(this::isFreed)) {
				FreedRoles.this.hint.give();
			}
		}

		@Override
		public void onError(Throwable failure) {
			onCompleted();
			if (!FreedRoles.this.warned && EtcdFailures.isAnswer(failure)) {
				FreedRoles.this.warned = true;
				logger.info("etcd does not tell when a role is freed (%s); looking at it instead"
					.formatted(failure.getMessage()));
			}
		}

		/** Whoever looks now makes the watch again, before a role is freed unheard. */
		@Override
		public void onCompleted() {
			boolean heard = this.hears;
			this.hears = false;
			this.ended = true;
			if (heard) {
				FreedRoles.this.hint.give();
			}
		}

		private boolean isFreed(WatchEvent event) {
			return event.getEventType() == WatchEvent.EventType.DELETE
					&& EtcdKeys.isLeader(event.getKeyValue().getKey());
		}

	}

}
