package io.leaderstarter.chaos.app;

import java.util.Random;

import io.leaderstarter.LeaderContext;
import io.leaderstarter.Leadership;

/**
 * One run of a job, on its thread: reads a number, pauses, and writes one more.
 */
final class Operation {

	private static final int SLICE_MILLIS = 5;

	private final String id;

	private final Leadership term = LeaderContext.current().orElseThrow();

	private final long pauseMillis;

	private long firstClaim;

	private long lastClaim;

	Operation(String id, Random random, long ttlMillis) {
		this.id = id;
		int kind = random.nextInt(100);
		// Some runs take longer than a lease lasts.
		long longest = (kind < 70) ? 40 : (kind < 95) ? 200 : ttlMillis * 3 / 2;
		this.pauseMillis = random.nextLong(longest);
		claim();
	}

	String id() {
		return this.id;
	}

	String role() {
		return this.term.role();
	}

	long epoch() {
		return this.term.epoch();
	}

	/** When this run was allowed for the first time, 0 if it never was. */
	long firstClaim() {
		return this.firstClaim;
	}

	/** When this run was allowed for the last time, 0 if it never was. */
	long lastClaim() {
		return this.lastClaim;
	}

	/** Pauses between what is read and what is written. */
	void pause() {
		for (long left = this.pauseMillis; left > 0; left -= SLICE_MILLIS) {
			try {
				Thread.sleep(Math.min(left, SLICE_MILLIS));
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				return;
			}
			claim();
		}
	}

	private void claim() {
		// It is valid at some moment after this, so it is now.
		long now = System.nanoTime();
		if (LeaderContext.isStillLeader()) {
			this.firstClaim = (this.firstClaim != 0) ? this.firstClaim : now;
			this.lastClaim = now;
		}
	}

	/** How a run ended. */
	enum Outcome {

		/** What it wrote is committed. */
		COMMITTED,

		/** What it wrote was refused, as its term is over. */
		REFUSED,

		/** It failed for another reason; what it wrote may be committed or not. */
		UNKNOWN

	}

}
