package io.leaderstarter.test;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import io.leaderstarter.election.spi.TimeSource;

/**
 * Time that stands still unless a test moves it on, so that no lease runs out while
 * somebody looks at a breakpoint.
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
