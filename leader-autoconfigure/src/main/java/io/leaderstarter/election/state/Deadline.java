package io.leaderstarter.election.state;

import io.leaderstarter.election.spi.Moment;

/**
 * Until when a term is valid without another answer of the store. It has passed as soon
 * as either clock has reached it: the monotonic one may have stopped in a suspended
 * machine, the wall clock may have been set back.
 * <p>
 * Internal: not for applications.
 *
 * @param moment the first moment at which the term is not valid any more
 * @since 0.1.0
 */
public record Deadline(Moment moment) {

	public boolean hasPassed(long nanoTime, long currentTimeMillis) {
		return nanoTime - this.moment.nanos() >= 0 || currentTimeMillis >= this.moment.wallMillis();
	}

	public boolean hasPassed(Moment now) {
		return hasPassed(now.nanos(), now.wallMillis());
	}

	/**
	 * Return the nanoseconds until the deadline by the clock that is nearer to it, zero
	 * or less if it has passed.
	 */
	public long nanosLeft(Moment now) {
		return Math.min(this.moment.nanos() - now.nanos(), (this.moment.wallMillis() - now.wallMillis()) * 1_000_000);
	}

	public Deadline latest(Deadline other) {
		return (other.moment.nanos() - this.moment.nanos() > 0) ? other : this;
	}

}
