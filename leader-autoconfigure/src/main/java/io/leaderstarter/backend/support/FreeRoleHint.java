package io.leaderstarter.backend.support;

import java.time.Duration;

import io.leaderstarter.election.spi.Platform;
import org.jspecify.annotations.Nullable;

/**
 * Notifies the election that a role may be free. All members are notified at the same
 * time. Each polls after a random delay, so that the first has taken the role when most
 * of the others poll, and those send no request for it. Hints during the delay are
 * merged.
 * <p>
 * Internal: not for applications.
 *
 * @since 0.1.0
 */
public final class FreeRoleHint {

	private static final Duration LONGEST_DELAY = Duration.ofMillis(50);

	private static final Duration UNTIL_WOKEN = Duration.ofHours(1);

	private final Platform platform;

	private final Runnable listener;

	private final Platform.Worker worker;

	private boolean started;

	private boolean closed;

	/** By the clock of the process. */
	private @Nullable Long dueAt;

	/**
	 * Create a new hint.
	 * @param platform clocks, threads and random numbers
	 * @param listener the listener
	 */
	public FreeRoleHint(Platform platform, Runnable listener) {
		this.platform = platform;
		this.listener = listener;
		this.worker = platform.worker("leader-hint", this::step);
	}

	/** Notify the listener soon. Thread-safe; returns at once. */
	public synchronized void give() {
		if (this.closed || this.dueAt != null) {
			return;
		}
		this.dueAt = now() + (long) (LONGEST_DELAY.toNanos() * this.platform.random());
		if (!this.started) {
			this.started = true;
			this.worker.start();
		}
		this.worker.wake();
	}

	/** Stop notifying the listener. */
	public void close() {
		synchronized (this) {
			this.closed = true;
		}
		this.worker.stop(Duration.ZERO);
	}

	private Duration step() {
		synchronized (this) {
			Long due = this.dueAt;
			if (this.closed || due == null) {
				return UNTIL_WOKEN;
			}
			long left = due - now();
			if (left > 0) {
				return Duration.ofNanos(left);
			}
			// Later hints notify the listener again.
			this.dueAt = null;
		}
		this.listener.run();
		return UNTIL_WOKEN;
	}

	private long now() {
		return this.platform.processTime().nanoTime();
	}

}
