package io.leaderstarter.fencing;

import java.time.Duration;

import io.leaderstarter.Leadership;

/**
 * Is notified of raises, checks and refusals of a fence, on the thread that does them. It
 * must return at once.
 *
 * @since 0.1.0
 */
public interface FenceListener {

	/**
	 * Called after a fence was raised, or could not be.
	 * @param database name of the database
	 * @param leadership the term that it was raised for
	 * @param took how long that took
	 * @param raised whether it was raised
	 */
	default void onRaise(String database, Leadership leadership, Duration took, boolean raised) {
	}

	/**
	 * Called after one or more terms were checked in the database.
	 * @param database name of the database
	 * @param trip what the check was sent with
	 * @param took how long all of that took
	 */
	default void onCheck(String database, Trip trip, Duration took) {
	}

	/**
	 * Called after a write was refused, as its term is over.
	 * @param database name of the database
	 * @param leadership the term
	 * @param by what detected that the term is over
	 */
	default void onRefusal(String database, Leadership leadership, Refuser by) {
	}

	/**
	 * What a check is sent to the database with.
	 *
	 * @since 0.1.0
	 */
	enum Trip {

		/** Nothing: the check is a separate statement. */
		OWN,

		/** The commit of a transaction. */
		COMMIT,

		/** A single statement and its commit. */
		STATEMENT

	}

	/**
	 * What detects that a term is over.
	 *
	 * @since 0.1.0
	 */
	enum Refuser {

		/**
		 * This process, by its clocks or because a renewal was refused. No check was
		 * sent.
		 */
		MEMBER,

		/** The row of the fence, while this process still assumes that it leads. */
		FENCE

	}

}
