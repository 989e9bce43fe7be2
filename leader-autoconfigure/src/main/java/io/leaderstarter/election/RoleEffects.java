package io.leaderstarter.election;

import java.util.concurrent.Executor;

import io.leaderstarter.LeadershipListener;
import io.leaderstarter.election.state.RoleEffect;

/**
 * Performs the effects of a change. Called under the lock, so it must hand on what may
 * block.
 */
interface RoleEffects {

	void perform(RoleElection election, RoleEffect effect);

	/** This member holds nothing of a role any more, and may poll it again. */
	void roleLeft(RoleElection election);

	/** This member competes for a role again. */
	void resumed();

	/**
	 * A thread waits for a term of a role. Called without the lock.
	 * @return whether there can be one
	 */
	boolean wanted(RoleElection election);

	/** Whether the elections were stopped, so that no thread need wait. */
	boolean isOver();

	/** Whether this member competes for a role whenever it may. */
	boolean competes(RoleElection election);

	/** How work is run under a term. */
	Calls calls();

	/** Run actions of applications on other threads. */
	Executor executor();

	/** A listener whose calls are queued, in order, for the given one. */
	LeadershipListener queued(LeadershipListener listener);

}
