package io.leaderstarter.election;

import io.leaderstarter.election.spi.LeaseKey;

/**
 * What the terms of roles need of this member.
 */
final class TermHost implements TermEffects.Host {

	private final Candidature candidature;

	private final MemberWork work;

	private final Lifecycle lifecycle;

	TermHost(Candidature candidature, MemberWork work, Lifecycle lifecycle) {
		this.candidature = candidature;
		this.work = work;
		this.lifecycle = lifecycle;
	}

	@Override
	public boolean stands(RoleElection election) {
		return this.candidature.standsByItself(election);
	}

	@Override
	public boolean isCandidate(RoleElection election) {
		return this.candidature.isAllowed(election.role());
	}

	@Override
	public void standsAgain() {
		this.work.lookNow();
	}

	@Override
	public boolean isStopping() {
		return this.candidature.isOver();
	}

	/**
	 * Somebody may wait for a role before the application has started, to migrate a
	 * database that its beans need.
	 */
	@Override
	public boolean wanted() {
		if (this.lifecycle.start(false)) {
			this.work.lookNow();
			return true;
		}
		return false;
	}

	@Override
	public boolean isStopped() {
		return this.lifecycle.isStopped();
	}

	@Override
	public void left(RoleElection election) {
		if (election.isGone()) {
			this.work.lookNow();
		}
		else {
			this.work.wake();
		}
	}

	@Override
	public void release(LeaseKey lease) {
		this.work.release(lease);
	}

}
