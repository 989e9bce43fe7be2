package io.leaderstarter.fencing;

import java.time.Duration;

import io.leaderstarter.Leadership;

/**
 * Is notified of what a fence does, on the thread that does it. It must return at once.
 *
 * @since 0.1.0
 */
public interface FenceListener {

	/**
	 * A fence was raised, or could not be.
	 * @param database name of the database
	 * @param leadership the term that it was raised for
	 * @param took how long that took
	 * @param raised whether it was raised
	 */
	default void onRaise(String database, Leadership leadership, Duration took, boolean raised) {
	}

	/**
	 * A term was checked in the database, or several were at once.
	 * @param database name of the database
	 * @param trip what the check went there with
	 * @param took how long all of that took
	 */
	default void onCheck(String database, Trip trip, Duration took) {
	}

	/**
	 * A write was refused, as its term is over.
	 * @param database name of the database
	 * @param leadership the term
	 * @param by what knew that it is over
	 */
	default void onRefusal(String database, Leadership leadership, Refuser by) {
	}

	/**
	 * What a check goes to the database with.
	 *
	 * @since 0.1.0
	 */
	enum Trip {

		/** It is a statement of its own. */
		OWN,

		/** It goes together with the commit of a transaction. */
		COMMIT,

		/** It goes together with a single statement, and the commit of that. */
		STATEMENT

	}

	/**
	 * What knows that a term is over.
	 *
	 * @since 0.1.0
	 */
	enum Refuser {

		/**
		 * This process, by its clocks or as a renewal was refused. The database was not
		 * asked.
		 */
		MEMBER,

		/** The row of the fence, although as far as this process knows it still leads. */
		FENCE

	}

}
