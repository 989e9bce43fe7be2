package io.leaderstarter.backend.support;

import java.time.Duration;

/**
 * The limits of poll intervals for all backends.
 * <p>
 * Internal: not for applications.
 *
 * @since 0.1.0
 */
public final class PollInterval {

	/** With notifications of the store. */
	public static final Duration LONGEST = Duration.ofSeconds(5);

	/** While a store that supports notifications sends none. */
	public static final Duration UNNOTIFIED = Duration.ofSeconds(1);

	private PollInterval() {
	}

	/**
	 * Limit an interval.
	 * @param wanted the interval
	 * @return the interval, at most {@link #LONGEST}
	 */
	public static Duration atMost(Duration wanted) {
		return (wanted.compareTo(LONGEST) < 0) ? wanted : LONGEST;
	}

}
