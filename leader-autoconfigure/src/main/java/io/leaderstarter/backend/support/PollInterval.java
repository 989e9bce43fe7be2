package io.leaderstarter.backend.support;

import java.time.Duration;

/**
 * How often to poll. Every backend keeps to the same limits.
 * <p>
 * Internal: not for applications.
 *
 * @since 0.1.0
 */
public final class PollInterval {

	/** However well the store notifies. */
	public static final Duration LONGEST = Duration.ofSeconds(5);

	/** As long as a store that can notify does not. */
	public static final Duration UNNOTIFIED = Duration.ofSeconds(1);

	private PollInterval() {
	}

	/**
	 * Keep a wanted interval within the limit.
	 * @param wanted how long to wait
	 * @return the interval, at most {@link #LONGEST}
	 */
	public static Duration atMost(Duration wanted) {
		return (wanted.compareTo(LONGEST) < 0) ? wanted : LONGEST;
	}

}
