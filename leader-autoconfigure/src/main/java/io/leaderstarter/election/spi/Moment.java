package io.leaderstarter.election.spi;

import java.time.Duration;

/**
 * A point in time by both clocks of this process.
 * <p>
 * The monotonic clock cannot be set, but may stop while the machine is suspended. The
 * wall clock goes on then, but can be set. To be sure that a time is over asks both.
 *
 * @param nanos the monotonic clock, as {@link System#nanoTime()}
 * @param wallMillis the wall clock, as {@link System#currentTimeMillis()}
 * @since 0.1.0
 */
public record Moment(long nanos, long wallMillis) {

	/**
	 * Return the moment that lies so much later.
	 * @param duration how much later; negative for earlier
	 * @return the other moment
	 */
	public Moment plus(Duration duration) {
		return new Moment(this.nanos + duration.toNanos(), this.wallMillis + duration.toMillis());
	}

	/**
	 * Return the time from an earlier moment to this one, by the monotonic clock.
	 * @param earlier the earlier moment
	 * @return the time between
	 */
	public Duration since(Moment earlier) {
		return Duration.ofNanos(this.nanos - earlier.nanos);
	}

}
