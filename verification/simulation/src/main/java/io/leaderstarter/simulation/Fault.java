package io.leaderstarter.simulation;

/**
 * Something that goes wrong, or that people do, at a moment.
 *
 * @param at when, in milliseconds
 * @param kind what
 * @param node which node, or whose
 * @param role which role
 * @param millis how long it lasts, or how far a clock is set
 */
record Fault(long at, Kind kind, int node, String role, long millis) {

	/** Kinds of faults. */
	enum Kind {

		/** A process does not run for a while, as in a long garbage collection. */
		PAUSE,

		/** The same, and its monotonic clock stands meanwhile. */
		SUSPEND,

		/** A process is paused in the middle of a step. */
		PAUSE_IN_STEP,

		/** A process ends at once, and another is started a while later. */
		CRASH,

		/** A process is stopped and started again. */
		RESTART,

		/** The elections of a process are stopped and started again. */
		STOP_AND_START,

		RESIGN, PAUSE_ROLE, PAUSE_ALL, LEAVE_ROLE,

		/** A thread waits for a role that is not joined, and works once. */
		RUN_EXCLUSIVELY,

		/** A process cannot reach the store. */
		STORE_CUT,

		/** The store answers a process late, and then not at all. */
		STORE_SLOW,

		/** A process cannot reach the fenced database. */
		FENCE_CUT,

		/** The fenced database answers a process late. */
		FENCE_SLOW,

		/**
		 * No process can reach the store. A store without expiry gives all leases time.
		 */
		STORE_RESTART,

		STORE_CLOCK_SET,

		/** Somebody frees a role by hand. */
		LEASE_FREED,

		/** The store has only what it had a while ago. */
		STORE_RESTORED,

		WALL_CLOCK_SET, NO_THREADS,

		/** A hint to poll, though no role is free. */
		HINT,

		/** Another transaction keeps the fence from being raised. */
		FENCE_HELD;

		/** Whether a process, or its elections, end by it. */
		boolean endsProcess() {
			return this == CRASH || this == RESTART || this == STOP_AND_START;
		}

	}

	@Override
	public String toString() {
		return this.kind + " of n" + this.node + " (" + this.role + ", " + this.millis + " ms)";
	}

}
