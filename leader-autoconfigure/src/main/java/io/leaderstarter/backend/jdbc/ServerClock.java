package io.leaderstarter.backend.jdbc;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Detects steps of the clock of the database. It was read at some time between a request
 * and its answer, so each reading gives bounds for the difference to the clock of this
 * process. If the bounds of two readings do not overlap, one of the clocks was set.
 */
final class ServerClock {

	private static final long TOLERANCE_MICROS = 250_000;

	/** Slewing of clocks stays below the tolerance for this time. */
	private static final long LONGEST_GAP_MICROS = Duration.ofSeconds(60).toNanos() / 1000;

	private boolean known;

	private long readAt;

	private long least;

	private long most;

	/**
	 * Evaluate a reading.
	 * @param sentNanos the clock of this process before the request was sent
	 * @param receivedNanos the clock of this process after the answer was received
	 * @param serverMicros the clock of the database
	 * @return how far it was set since the last reading, {@code null} if it was not
	 */
	@Nullable Duration read(long sentNanos, long receivedNanos, long serverMicros) {
		long received = receivedNanos / 1000;
		long newLeast = serverMicros - received;
		long newMost = serverMicros - sentNanos / 1000;
		long step = 0;
		if (this.known && received - this.readAt < LONGEST_GAP_MICROS) {
			if (newLeast - this.most > TOLERANCE_MICROS) {
				step = newLeast - this.most;
			}
			else if (newMost - this.least < -TOLERANCE_MICROS) {
				step = newMost - this.least;
			}
		}
		this.known = true;
		this.readAt = received;
		this.least = newLeast;
		this.most = newMost;
		return (step != 0) ? Duration.ofNanos(step * 1000) : null;
	}

}
