package io.leaderstarter.election.spi;

import java.time.Duration;

import io.leaderstarter.ActiveTerm;

/**
 * Keeps when methods last began, for all members together, so that none is run again too
 * soon by whoever leads next.
 *
 * @since 0.1.0
 */
public interface LastRuns {

	/**
	 * Make sure that last runs of a role can be kept, once the elections start.
	 * @param role the role
	 * @throws IllegalStateException if they cannot be kept; the message says why
	 */
	void require(String role);

	/**
	 * Keep that a run of a method begins, unless the last one began too short a while
	 * ago.
	 * @param term the term that it would run under
	 * @param task identifies the method among others of the role
	 * @param period how long ago the last run must have begun
	 * @return whether it may begin
	 * @throws io.leaderstarter.StaleLeaderException if the term is over
	 */
	boolean begin(ActiveTerm term, String task, Duration period);

}
