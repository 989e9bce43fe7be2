package io.leaderstarter.election;

import java.util.concurrent.Executor;

import io.leaderstarter.LeadershipListener;
import io.leaderstarter.election.state.RoleEffect;

/**
 * What a single election needs of a member that is started, competes, and does nothing.
 */
class QuietEffects implements RoleEffects {

	@Override
	public void perform(RoleElection election, RoleEffect effect) {
	}

	@Override
	public void roleLeft(RoleElection election) {
	}

	@Override
	public void resumed() {
	}

	@Override
	public boolean wanted(RoleElection election) {
		return true;
	}

	@Override
	public boolean isOver() {
		return false;
	}

	@Override
	public boolean competes(RoleElection election) {
		return true;
	}

	@Override
	public Calls calls() {
		return Calls.PLAIN;
	}

	@Override
	public Executor executor() {
		return Runnable::run;
	}

	@Override
	public LeadershipListener queued(LeadershipListener listener) {
		return listener;
	}

}
