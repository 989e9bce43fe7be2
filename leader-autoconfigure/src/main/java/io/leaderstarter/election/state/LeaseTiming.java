package io.leaderstarter.election.state;

import java.time.Duration;

import io.leaderstarter.election.spi.Moment;
import org.jspecify.annotations.Nullable;

/**
 * The times of a lease, and how they must fit together.
 * <p>
 * A member must be able to fail once in renewing and still be in time with the next try:
 * two intervals, one request and the margin have to fit into the ttl.
 *
 * @param ttl the time that the store gives a lease
 * @param renewInterval the time between two renewals
 * @param requestTimeout the longest time that one request may take
 * @param margin how much earlier than the store a member ends a lease; a fiftieth of the
 * ttl, but not less than 100 ms, unless it is given
 * @since 0.1.0
 */
public record LeaseTiming(Duration ttl, Duration renewInterval, Duration requestTimeout, Duration margin) {

	/** How much faster or slower than the store's clock this member's may run. */
	private static final double DRIFT = 0.001;

	private static final Duration LEAST_MARGIN = Duration.ofMillis(100);

	/**
	 * Checks that the times fit together.
	 * @throws InvalidLeaseTimingException if they do not
	 */
	public LeaseTiming {
		requirePositive("leader.lease.ttl", ttl);
		requirePositive("leader.lease.renew-interval", renewInterval);
		requirePositive("the request time-out of the LeaseTiming", requestTimeout);
		requirePositive("the margin of the LeaseTiming", margin);
		requireIntervals(2, "", ttl, renewInterval, requestTimeout, margin);
	}

	/**
	 * Create a timing, computing from the ttl what is not given and the margin.
	 * @param ttl the time that the store gives a lease
	 * @param renewInterval {@code null} for a third of the ttl
	 * @param requestTimeout {@code null} for a fifth of the ttl
	 * @return the timing
	 */
	public static LeaseTiming of(Duration ttl, @Nullable Duration renewInterval, @Nullable Duration requestTimeout) {
		Duration fiftieth = ttl.dividedBy(50);
		return new LeaseTiming(ttl, (renewInterval != null) ? renewInterval : ttl.dividedBy(3),
				(requestTimeout != null) ? requestTimeout : ttl.dividedBy(5),
				(fiftieth.compareTo(LEAST_MARGIN) > 0) ? fiftieth : LEAST_MARGIN);
	}

	/**
	 * Check the ttl against what a store can do.
	 * @param store name of the store
	 * @param minimumTtl the least ttl that it can keep
	 * @return this
	 * @throws InvalidLeaseTimingException if the ttl is shorter
	 */
	public LeaseTiming requireTtl(String store, Duration minimumTtl) {
		if (this.ttl.compareTo(minimumTtl) < 0) {
			throw new InvalidLeaseTimingException(
					"leader.lease.ttl (%s) is shorter than the %s backend can keep (%s)".formatted(text(this.ttl),
							store, text(minimumTtl)),
					"Set leader.lease.ttl to at least %s.".formatted(text(minimumTtl)));
		}
		return this;
	}

	/**
	 * Check the times against what a lease of a store counts from.
	 * @param store name of the store
	 * @param intervals how many intervals between renewals have to fit into the ttl
	 * @return this
	 * @throws InvalidLeaseTimingException if they do not
	 */
	public LeaseTiming requireIntervals(String store, int intervals) {
		requireIntervals(intervals, " for the " + store + " backend", this.ttl, this.renewInterval, this.requestTimeout,
				this.margin);
		return this;
	}

	private static void requireIntervals(int intervals, String where, Duration ttl, Duration renewInterval,
			Duration requestTimeout, Duration margin) {
		Duration needed = renewInterval.multipliedBy(intervals).plus(requestTimeout).plus(margin);
		if (needed.compareTo(ttl) > 0) {
			throw new InvalidLeaseTimingException(
					"leader.lease.ttl (%s) is too short%s: it is less than %d times leader.lease.renew-interval (%s) plus one request (%s) plus the margin (%s), which is %s"
						.formatted(text(ttl), where, intervals, text(renewInterval), text(requestTimeout), text(margin),
								text(needed)),
					"Remove leader.lease.renew-interval, which is computed from ttl then, or set leader.lease.ttl to %s."
						.formatted(text(comfortable(needed))));
		}
	}

	/**
	 * Return until when a lease may be relied on.
	 * @param countedFrom a moment before the store granted it
	 */
	public Deadline deadline(Moment countedFrom) {
		Duration drift = Duration.ofNanos((long) Math.ceil(this.ttl.toNanos() * DRIFT));
		return new Deadline(countedFrom.plus(this.ttl.minus(drift).minus(this.margin)));
	}

	/**
	 * A ttl that fits whatever is computed from it: what is computed takes less than half
	 * of it.
	 */
	private static Duration comfortable(Duration needed) {
		return Duration.ofSeconds(needed.multipliedBy(2).plusMillis(999).toSeconds());
	}

	private static void requirePositive(String name, Duration value) {
		if (value.isZero() || value.isNegative()) {
			throw new InvalidLeaseTimingException("%s (%s) must be longer than zero".formatted(name, text(value)),
					"Set %s to a positive duration such as 5s, or remove it.".formatted(name));
		}
	}

	private static String text(Duration duration) {
		return (duration.toMillisPart() != 0 || duration.isZero()) ? duration.toMillis() + "ms"
				: duration.toSeconds() + "s";
	}

}
