package io.leaderstarter;

import java.util.Collection;

/**
 * The elections that this member takes part in.
 *
 * @since 0.1.0
 */
public interface LeaderElections {

	/**
	 * Returns the member that this process is.
	 * @return this member
	 */
	Member member();

	/**
	 * Returns the election for a role that this member has joined.
	 * @param role the role
	 * @return its election
	 * @throws IllegalArgumentException if the role was not joined, neither by an
	 * annotation nor by {@code leader.roles} nor by {@link #join(String)}
	 */
	LeaderElection election(String role);

	/**
	 * Makes this member a candidate for a role. Does nothing if it is one already.
	 * @param role the role
	 * @return its election
	 * @throws IllegalArgumentException if no role can have this name
	 */
	LeaderElection join(String role);

	/**
	 * Pauses all roles, also those that are joined before {@link #resume()}. For a node
	 * that is about to be taken away, or that should only watch.
	 */
	void pause();

	/**
	 * Resumes all roles, also those that were paused one by one.
	 */
	void resume();

	/**
	 * Returns all elections, ordered by role.
	 * @return the elections
	 */
	Collection<LeaderElection> all();

}
