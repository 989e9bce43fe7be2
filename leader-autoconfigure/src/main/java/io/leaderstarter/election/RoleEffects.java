package io.leaderstarter.election;

import java.util.concurrent.Executor;

import io.leaderstarter.LeadershipListener;
import io.leaderstarter.election.spi.Platform;
import io.leaderstarter.election.state.RoleEffect;

/**
 * Performs the effects of a change. Called under the lock, so it must hand on what may
 * block.
 */
interface RoleEffects {

	void perform(RoleElection election, RoleEffect effect);

	/** This member holds nothing of a role any more, and may poll it again. */
	default void roleLeft(RoleElection election) {
	}

	/** This member competes for a role again. */
	default void resumed() {
	}

	/** Whether this member may lead a role at all. */
	default boolean isCandidate(RoleElection election) {
		return true;
	}

	/**
	 * A thread waits for a term of a role. Called without the lock.
	 * @return whether there can be one
	 */
	default boolean wanted(RoleElection election) {
		return true;
	}

	/** Whether the elections were stopped, so that no thread need wait. */
	default boolean isOver() {
		return false;
	}

	/** Whether this member competes for a role whenever it may. */
	default boolean competes(RoleElection election) {
		return true;
	}

	/** Where threads wait, and the clocks that their time-outs are counted by. */
	default Platform platform() {
		return Platform.SYSTEM;
	}

	/** How work is run under a term. */
	default Calls calls() {
		return Calls.PLAIN;
	}

	/** Run actions of applications on other threads. */
	default Executor executor() {
		return Runnable::run;
	}

	/** A listener whose calls are queued, in order, for the given one. */
	LeadershipListener queued(LeadershipListener listener);

}
