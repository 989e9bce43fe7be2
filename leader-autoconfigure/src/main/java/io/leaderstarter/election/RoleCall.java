package io.leaderstarter.election;

import io.leaderstarter.ActiveTerm;
import io.leaderstarter.Leadership;
import io.leaderstarter.Registration;
import org.jspecify.annotations.Nullable;

/**
 * A call that runs under a term. The member does not compete for the role again, and does
 * not release it, before the call has ended.
 *
 * @since 0.1.0
 */
public final class RoleCall implements ActiveTerm, AutoCloseable {

	private final RoleElection election;

	private final Leadership leadership;

	private volatile boolean ended;

	RoleCall(RoleElection election, Leadership leadership) {
		this.election = election;
		this.leadership = leadership;
	}

	@Override
	public Leadership leadership() {
		return this.leadership;
	}

	@Override
	public boolean isValid() {
		return this.election.terms().isValid(this.leadership);
	}

	@Override
	public boolean isEnding() {
		// A task can outlive its call and see the next term of this member.
		return !this.election.isLeader() || !isValid();
	}

	@Override
	public Registration onCancel(Runnable action) {
		Registration registered = this.election.calls().onCancel(this, action);
		if (this.ended) {
			// By a task that has outlived the call, so nothing would remove it.
			registered.close();
		}
		return registered;
	}

	@Override
	public void close() {
		end(null);
	}

	/**
	 * End a call that did nothing, so that it counts neither as work that went well nor
	 * as work that failed.
	 */
	public void abandon() {
		this.ended = true;
		this.election.calls().abandon();
	}

	/**
	 * End the call.
	 * @param failure what it threw, {@code null} if it went well
	 */
	void end(@Nullable Throwable failure) {
		this.ended = true;
		this.election.calls().end(this, failure);
	}

}
