package io.leaderstarter.test;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import io.leaderstarter.election.spi.TimeSource;

/**
 * Time that passes only if a test moves it on, or while something is retried, so that no
 * lease expires while somebody waits at a breakpoint.
 */
final class ManualTime implements TimeSource {

	private final long nanosAtStart = System.nanoTime();

	private final long millisAtStart = System.currentTimeMillis();

	private final AtomicLong passed = new AtomicLong();

	void pass(Duration duration) {
		this.passed.addAndGet(duration.toNanos());
	}

	@Override
	public long nanoTime() {
		return this.nanosAtStart + this.passed.get();
	}

	@Override
	public long currentTimeMillis() {
		return this.millisAtStart + Duration.ofNanos(this.passed.get()).toMillis();
	}

}
