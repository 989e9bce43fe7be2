package io.leaderstarter.election.state;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Counts how often the work of a role failed in a row, to decide when another member
 * should be given a try, and for how long this one should back off. Used under the lock
 * of the role.
 * <p>
 * Internal: not for applications.
 *
 * @since 0.1.0
 */
public final class Failures {

	private static final int LONGEST_PAUSE = 64;

	private final int limit;

	private final Duration ttl;

	private int inARow;

	/** How often the role was given up without a success since. */
	private int yields;

	/**
	 * Create the count.
	 * @param limit how many failures in a row are too many; zero for never
	 * @param ttl the ttl of a lease, from which the first pause is computed
	 */
	public Failures(int limit, Duration ttl) {
		this.limit = limit;
		this.ttl = ttl;
	}

	public boolean areCounted() {
		return this.limit != 0;
	}

	/**
	 * Take the end of some work into account, while this member leads.
	 * @param failure what it threw, {@code null} if it went well
	 * @return whether the role should be given up now
	 */
	public boolean ended(@Nullable Throwable failure) {
		if (failure == null) {
			this.inARow = 0;
			this.yields = 0;
			return false;
		}
		if (++this.inARow < this.limit) {
			return false;
		}
		this.inARow = 0;
		this.yields++;
		return true;
	}

	/**
	 * Return how long this member backs off once it has given the role up: longer than a
	 * lease, so that others can lead, and twice as long each time.
	 */
	public Duration pause() {
		int times = Math.min(1 << Math.min(Math.max(this.yields - 1, 0), 10), LONGEST_PAUSE);
		return this.ttl.plus(this.ttl.dividedBy(4)).multipliedBy(times);
	}

}
