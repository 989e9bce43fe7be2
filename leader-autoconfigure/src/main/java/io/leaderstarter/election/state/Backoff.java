package io.leaderstarter.election.state;

import java.time.Duration;

/**
 * Growing delays between tries that fail: quick at first, then at most the longest.
 * <p>
 * Internal: not for applications.
 *
 * @since 0.1.0
 */
public final class Backoff {

	private static final Duration FIRST = Duration.ofMillis(250);

	private final Duration longest;

	private int failures;

	public Backoff(Duration longest) {
		this.longest = longest;
	}

	public Duration failed() {
		Duration delay = FIRST.multipliedBy(1L << Math.min(this.failures, 10));
		this.failures++;
		return (delay.compareTo(this.longest) < 0) ? delay : this.longest;
	}

	public void succeeded() {
		this.failures = 0;
	}

	public boolean isFailing() {
		return this.failures > 0;
	}

}
