package io.leaderstarter.simulation;

import io.leaderstarter.RevocationReason;

/**
 * How often something happened. What never happened was not tested.
 */
final class Statistics {

	long schedules;

	long terms;

	long commits;

	/** Commits that the fence refused while the member still believed in its term. */
	long refused;

	long calls;

	long losses;

	long steps;

	/** A term has ended. */
	void lost(RevocationReason reason) {
		if (isLoss(reason)) {
			this.losses++;
		}
	}

	/** Whether a term ended that its member wanted to keep. */
	static boolean isLoss(RevocationReason reason) {
		return reason == RevocationReason.LEASE_EXPIRED || reason == RevocationReason.SUPERSEDED
				|| reason == RevocationReason.FENCE_REFUSED;
	}

	void add(Statistics other) {
		this.schedules += other.schedules;
		this.terms += other.terms;
		this.commits += other.commits;
		this.refused += other.refused;
		this.calls += other.calls;
		this.losses += other.losses;
		this.steps += other.steps;
	}

	@Override
	public String toString() {
		return "%,d schedules: %,d terms, %,d of them lost, %,d calls, %,d commits, %,d refused by the fence alone, %,d steps"
			.formatted(this.schedules, this.terms, this.losses, this.calls, this.commits, this.refused, this.steps);
	}

}
