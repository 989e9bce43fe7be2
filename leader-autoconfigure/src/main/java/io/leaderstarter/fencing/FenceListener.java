package io.leaderstarter.fencing;

import java.time.Duration;

import io.leaderstarter.Leadership;

/**
 * Is told what a fence does, on the thread that does it. It must return at once.
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
	 * A term was checked by a statement of its own. A check that goes together with what
	 * it checks is not told.
	 * @param database name of the database
	 * @param took how long that took
	 */
	default void onCheck(String database, Duration took) {
	}

	/**
	 * A write was refused, as its term is over.
	 * @param database name of the database
	 * @param leadership the term
	 */
	default void onRefusal(String database, Leadership leadership) {
	}

}
