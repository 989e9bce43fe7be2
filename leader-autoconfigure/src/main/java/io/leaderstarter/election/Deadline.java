package io.leaderstarter.election;

import io.leaderstarter.election.spi.Moment;
import io.leaderstarter.election.spi.TimeSource;

/**
 * Until when a term may act without having heard from the store. It has passed as soon as
 * either clock says so: the monotonic one may have stood still in a suspended machine,
 * the wall clock may have been set back.
 *
 * @param moment the first moment at which the term may act no more
 */
record Deadline(Moment moment) {

	boolean hasPassed(TimeSource time) {
		return time.nanoTime() - this.moment.nanos() >= 0 || time.currentTimeMillis() >= this.moment.wallMillis();
	}

	boolean hasPassed(Moment now) {
		return now.nanos() - this.moment.nanos() >= 0 || now.wallMillis() >= this.moment.wallMillis();
	}

	/**
	 * Returns the nanoseconds until the deadline by the clock that is nearer to it, zero
	 * or less if it has passed.
	 */
	long nanosLeft(Moment now) {
		return Math.min(this.moment.nanos() - now.nanos(), (this.moment.wallMillis() - now.wallMillis()) * 1_000_000);
	}

	Deadline latest(Deadline other) {
		return (other.moment.nanos() - this.moment.nanos() > 0) ? other : this;
	}

}
