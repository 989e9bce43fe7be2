package io.leaderstarter.election;

import java.time.Duration;

import io.leaderstarter.election.spi.TimeSource;

/**
 * Clocks that be paused until they are moved.
 */
class ManualTime implements TimeSource {

	private volatile long nanos = 1_000_000_000L;

	private volatile long wallMillis = 1_700_000_000_000L;

	@Override
	public long nanoTime() {
		return this.nanos;
	}

	@Override
	public long currentTimeMillis() {
		return this.wallMillis;
	}

	void pass(Duration duration) {
		this.nanos += duration.toNanos();
		this.wallMillis += duration.toMillis();
	}

	/** A machine that was suspended: the monotonic clock was paused. */
	void passOnTheWallOnly(Duration duration) {
		this.wallMillis += duration.toMillis();
	}

}
