package io.leaderstarter.election;

import java.util.concurrent.Executor;

import io.leaderstarter.LeadershipListener;
import io.leaderstarter.election.spi.TimeSource;
import io.leaderstarter.election.state.RoleEffect;

/**
 * Does what a change asks for. Called under the lock, so it must only hand things on.
 */
interface RoleEffects {

	void perform(RoleElection election, RoleEffect effect);

	/** This member has nothing of a role any more, and may look at it again. */
	default void roleLeft(RoleElection election) {
	}

	/** This member stands for a role again. */
	default void standsAgain() {
	}

	/** Whether this member may lead a role at all. */
	default boolean isCandidate(RoleElection election) {
		return true;
	}

	/**
	 * Somebody waits for a term of a role. Called without the lock.
	 * @return whether there can be one
	 */
	default boolean wanted(RoleElection election) {
		return true;
	}

	/** Whether all was stopped, so that nobody need wait. */
	default boolean isOver() {
		return false;
	}

	/** Whether this member stands for a role whenever it may. */
	default boolean stands(RoleElection election) {
		return true;
	}

	/** The clocks that time-outs of threads are counted by. */
	default TimeSource processTime() {
		return TimeSource.SYSTEM;
	}

	/** How work is run under a term. */
	default Calls calls() {
		return Calls.PLAIN;
	}

	/** Runs what is not ours, elsewhere. */
	default Executor executor() {
		return Runnable::run;
	}

	/** A listener whose calls are queued, in order, for the given one. */
	LeadershipListener queued(LeadershipListener listener);

}
