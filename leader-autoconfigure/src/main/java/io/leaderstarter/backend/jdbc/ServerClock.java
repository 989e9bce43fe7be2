package io.leaderstarter.backend.jdbc;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Watches whether the clock of the database goes like ours. It was read somewhere between
 * the sending of a request and its answer, so each reading says between which bounds the
 * two clocks differ. If the bounds of two readings lie apart, one of the clocks was set.
 */
final class ServerClock {

	private static final long TOLERANCE_MICROS = 250_000;

	/** Within this time no slewing of clocks adds up to the tolerance. */
	private static final long LONGEST_GAP_MICROS = Duration.ofSeconds(60).toNanos() / 1000;

	private boolean known;

	private long readAt;

	private long least;

	private long most;

	/**
	 * Takes a reading into account.
	 * @param sentNanos our clock before the request was sent
	 * @param receivedNanos our clock when the answer was there
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
