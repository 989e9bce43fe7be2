package io.leaderstarter.election;

import java.time.Duration;

/**
 * Growing delays between tries that fail: quick at first, then at most the longest.
 */
final class Backoff {

	private static final Duration FIRST = Duration.ofMillis(250);

	private final Duration longest;

	private int failures;

	Backoff(Duration longest) {
		this.longest = longest;
	}

	Duration failed() {
		Duration delay = FIRST.multipliedBy(1L << Math.min(this.failures, 10));
		this.failures++;
		return (delay.compareTo(this.longest) < 0) ? delay : this.longest;
	}

	void succeeded() {
		this.failures = 0;
	}

	boolean isFailing() {
		return this.failures > 0;
	}

}
