package io.leaderstarter.election.spi;

import java.time.Duration;

import io.leaderstarter.ActiveTerm;

/**
 * Remembers when methods began, for all members together, so that one is not run again
 * too soon by whoever leads next.
 *
 * @since 0.1.0
 */
public interface TickRecords {

	/**
	 * Makes sure that there is a place for the records of a role, once the elections
	 * start.
	 * @param role the role
	 * @throws IllegalStateException if there is none; the message says why
	 */
	void require(String role);

	/**
	 * Takes note that a method begins, unless it began too short a while ago.
	 * @param term the term that it would run under
	 * @param task what tells the method from others of the role
	 * @param period how long ago it must have begun last
	 * @return whether it may begin
	 * @throws io.leaderstarter.StaleLeaderException if the term is over
	 */
	boolean begin(ActiveTerm term, String task, Duration period);

}
