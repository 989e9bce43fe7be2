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

	/** The minimum time between two watches, which may fail at once. */
	private static final long PAUSE_MILLIS = 500;

	private final FreeRoleHint hint;

	private volatile boolean closed;

	private volatile @Nullable RoleWatch watch;

	private @Nullable Moment madeAt;

	private boolean warned;

	FreedRoles(Runnable listener) {
		this.hint = new FreeRoleHint(Platform.SYSTEM, listener);
	}

	/**
	 * Watch through the server if that is not done yet. A watch that ended, with its
	 * connection or because it was too far behind, is replaced by a new one without a
	 * start revision, as the caller polls all roles anyway.
	 */
	void watch(EtcdServer server, String prefix) {
		RoleWatch present = this.watch;
		if (present != null && present.isOpen(server)) {
			return;
		}
		Moment now = TimeSource.SYSTEM.now();
		if (this.closed || (this.madeAt != null && now.since(this.madeAt).toMillis() < PAUSE_MILLIS)) {
			return;
		}
		this.madeAt = now;
		stop();
		RoleWatch next = new RoleWatch(server);
		this.watch = next;
		WatchOption option = WatchOption.builder()
			.withRange(EtcdKeys.end(prefix))
			.withNoPut(true)
			.withRequireLeader(true)
			.withCreateNotify(true)
			.build();
		try {
			next.watcher = server.client().getWatchClient().watch(EtcdKeys.bytes(prefix), option, next);
			if (next.ended) {
				next.close();
			}
		}
		catch (RuntimeException ex) {
			next.onError(ex);
		}
	}

	boolean isWatching() {
		RoleWatch present = this.watch;
		return present != null && present.notifying;
	}

	void close() {
		this.closed = true;
		this.hint.close();
		stop();
	}

	private void stop() {
		RoleWatch former = this.watch;
		if (former != null) {
			former.close();
		}
	}

	/** Listens to one watch. */
	private final class RoleWatch implements Watch.Listener {

		private final EtcdServer server;

		private volatile Watch.@Nullable Watcher watcher;

		private volatile boolean notifying;

		private volatile boolean ended;

		private RoleWatch(EtcdServer server) {
			this.server = server;
		}

		private boolean isOpen(EtcdServer present) {
			return !this.ended && this.server == present;
		}

		@Override
		public void onNext(WatchResponse response) {
			// Deletions before the watch was created are not reported.
			boolean begins = !this.notifying;
			this.notifying = true;
			if (begins || response.getEvents().stream().anyMatch(this::isFreed)) {
				FreedRoles.this.hint.give();
			}
		}

		private void close() {
			Watch.Watcher present = this.watcher;
			if (present != null) {
				try {
					present.close();
				}
				catch (RuntimeException ex) {
					logger.debug("A watch in etcd did not close", ex);
				}
			}
		}

		/**
		 * The watch is closed, as the client would go on trying to create it again, and
		 * log an error if it is closed meanwhile.
		 */
		@Override
		public void onError(Throwable failure) {
			onCompleted();
			close();
			if (!FreedRoles.this.warned && EtcdFailures.isAnswer(failure)) {
				FreedRoles.this.warned = true;
				logger.info("etcd does not notify this member of freed roles (%s); polling instead"
					.formatted(failure.getMessage()));
			}
		}

		/**
		 * The poll that this causes creates the watch again, before a role is freed
		 * unnoticed.
		 */
		@Override
		public void onCompleted() {
			boolean wasNotifying = this.notifying;
			this.notifying = false;
			this.ended = true;
			if (wasNotifying) {
				FreedRoles.this.hint.give();
			}
		}

		private boolean isFreed(WatchEvent event) {
			return event.getEventType() == WatchEvent.EventType.DELETE
					&& EtcdKeys.isLeader(event.getKeyValue().getKey());
		}

	}

}
