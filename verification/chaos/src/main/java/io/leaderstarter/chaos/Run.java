package io.leaderstarter.chaos;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * What is known of a run when it is over.
 *
 * @param options what it was asked for
 * @param events what the members wrote down
 * @param entries what the database noted, by role and in the order of the commits
 * @param faults what was done
 * @param recoveries when roles were led again
 * @param calm times without faults, long enough after the last one
 * @param found what was found while it ran
 * @param logged lines of the members' logs that are warnings or errors, and how often
 * each came
 */
record Run(Options options, List<Event> events, List<Ledger.Entry> entries, List<Happened> faults,
		List<Recovery> recoveries, List<Span> calm, List<Violation> found, Map<String, Integer> logged) {

	/**
	 * A fault that is over.
	 *
	 * @param kind what went wrong
	 * @param member whom it met, -1 if that is no member
	 * @param process the process that it met, empty if that is no member
	 * @param span for how long
	 */
	record Happened(FaultKind kind, int member, String process, Span span) {
	}

	/**
	 * A time, by the clock that all processes share.
	 *
	 * @param begin its first moment
	 * @param end its last moment
	 */
	record Span(long begin, long end) {

		boolean meets(Span other) {
			return this.begin <= other.end && other.begin <= this.end;
		}

		Span extendedBy(Duration duration) {
			return new Span(this.begin, this.end + duration.toNanos());
		}

	}

	/**
	 * How long it took after the end of all faults.
	 *
	 * @param role the role
	 * @param healed when nothing was wrong any more
	 * @param led how long it took until it was led
	 * @param worked how long it took until a run of its job was committed
	 */
	record Recovery(String role, long healed, Duration led, Duration worked) {
	}

	/**
	 * Something that must not happen.
	 *
	 * @param check what was violated
	 * @param time when, 0 if that is not known
	 * @param text what happened
	 */
	record Violation(Check check, long time, String text) {
	}

	/** What must hold. */
	enum Check {

		/** In the order of commits, epochs never fall. */
		NO_STALE_COMMIT,

		/** Each commit is based on the one before. */
		NO_LOST_UPDATE,

		/** What was acknowledged is there, once. */
		NO_LOST_ACKNOWLEDGED_WRITE,

		/** What was refused is not there. */
		NO_REFUSED_WRITE,

		/** An epoch of a role belongs to one process. */
		ONE_TERM_PER_EPOCH,

		/** Two members never claim a role at the same time. */
		NO_OVERLAP,

		/** A role is led within the ttl and two seconds after the end of all faults. */
		LED_SOON,

		/** The jobs of a role work again after the end of all faults. */
		WORKS_AGAIN,

		/** Each term that is granted is revoked before the next one, in each process. */
		GRANTED_THEN_REVOKED,

		/** Nobody loses a role while nothing is wrong. */
		NO_FALSE_DEMOTION,

		/** A process that is asked to end does so. */
		ENDS_WHEN_ASKED,

		/** Nothing is logged as an error that nobody expects. */
		NO_UNEXPECTED_ERROR,

		/** Threads and connections are as many as in the beginning. */
		NO_LEAK,

		/** What a run is there for has happened in it. */
		NOT_BLIND

	}

}
