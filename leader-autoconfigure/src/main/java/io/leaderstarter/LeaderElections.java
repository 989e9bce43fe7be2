package io.leaderstarter;

import java.time.Duration;
import java.util.Collection;
import java.util.Optional;

/**
 * The elections that this member takes part in.
 *
 * @since 0.1.0
 */
public interface LeaderElections {

	/**
	 * Return the member that this process is.
	 * @return this member
	 */
	Member member();

	/**
	 * Return the election for a role that this member has joined.
	 * @param role the role
	 * @return its election
	 * @throws IllegalArgumentException if the role was joined neither by an annotation
	 * nor by {@link #join(String)}
	 */
	LeaderElection election(String role);

	/**
	 * Make this member a candidate for a role. Does nothing if it is one already.
	 * @param role the role
	 * @return its election
	 * @throws IllegalArgumentException if no role can have this name
	 */
	LeaderElection join(String role);

	/**
	 * Give a role up for good: running calls end, it is released, and this member does
	 * not compete for it until it {@link #join(String) joins} again. Methods that need
	 * the role are skipped meanwhile. Returns at once; does nothing if the role was not
	 * joined.
	 * @param role the role
	 */
	void leave(String role);

	/**
	 * Compete for a role until this member leads it, do the work under that term, and
	 * give the role up. For a migration, or whatever every replica starts with one at a
	 * time: each has its turn, so the work has to see what others have done. This member
	 * competes at once, even before the application is ready. A role that was joined
	 * otherwise stays joined.
	 * @param role the role
	 * @param timeout how long to wait at most for the turn
	 * @param work what to do
	 * @return whether it was done
	 * @throws InterruptedException if the thread is interrupted while it waits
	 * @throws IllegalArgumentException if no role can have this name
	 */
	boolean runExclusively(String role, Duration timeout, Runnable work) throws InterruptedException;

	/**
	 * Pause all roles, also those that are joined before {@link #resume()}. For a node
	 * that is about to be taken away, or that should only watch.
	 */
	void pause();

	/**
	 * Resume all roles, also those that were paused one by one.
	 */
	void resume();

	/**
	 * Return the members that live, this one among them. The store is asked once per ttl,
	 * so a new member is known within a little more than the ttl, and one that crashed
	 * may be among them for three of its ttls. There is none before this member is ready,
	 * and none if the store cannot list them.
	 * <p>
	 * Metadata comes from the store as it is. Everybody with access to the store can
	 * write anything there, so escape it before you display it.
	 * @return the members, ordered by id
	 */
	Collection<Member> members();

	/**
	 * Return the member that leads a role, as far as this member knows, which is a moment
	 * behind. For work that only the leader can do and that somebody asked this member
	 * for.
	 * @param role the role
	 * @return the leader, empty if there is none or {@link #members()} do not name it yet
	 * @throws IllegalArgumentException if the role was not joined
	 */
	Optional<Member> leader(String role);

	/**
	 * Return all elections, ordered by role.
	 * @return the elections
	 */
	Collection<LeaderElection> all();

}
