package io.leaderstarter.election;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

import io.leaderstarter.Leadership;
import io.leaderstarter.Registration;
import org.jspecify.annotations.Nullable;

/**
 * The calls that run under the terms of one role.
 */
final class RoleCalls {

	private final RoleElection election;

	private final RoleRecord record;

	private final Executor executor;

	/**
	 * Calls that run, and for an instant those that find out that they may not. A call is
	 * counted before it reads the state, and the state is changed before the count is
	 * read, so a call that was let in is never overlooked.
	 */
	private final AtomicInteger running = new AtomicInteger();

	private final Cancellations cancellations = new Cancellations();

	/**
	 * Create the calls of a role, of which none runs.
	 * @param election the election for the role
	 * @param record counts them
	 * @param executor where they are cancelled
	 */
	RoleCalls(RoleElection election, RoleRecord record, Executor executor) {
		this.election = election;
		this.record = record;
		this.executor = executor;
	}

	/**
	 * Begin a call if this member leads.
	 * @return the call, {@code null} if it does not
	 */
	@Nullable RoleCall begin() {
		this.running.incrementAndGet();
		Leadership leadership = this.election.terms().admitting();
		if (leadership != null) {
			return new RoleCall(this.election, leadership);
		}
		exit();
		return null;
	}

	/** End a call that did nothing, so it was none. */
	void abandon() {
		this.record.skipped();
		exit();
	}

	/**
	 * End a call.
	 * @param call the call
	 * @param failure what it threw, {@code null} if it went well
	 */
	void end(RoleCall call, @Nullable Throwable failure) {
		this.cancellations.forget(call);
		this.record.executed();
		this.election.terms().workEnded(failure);
		exit();
	}

	private void exit() {
		if (this.running.decrementAndGet() == 0) {
			this.election.terms().drained();
		}
	}

	/** Whether no call runs at this moment. */
	boolean areOver() {
		return this.running.get() == 0;
	}

	/**
	 * Run an action when calls are not wanted any more, at once if they are not already.
	 */
	Registration onCancel(RoleCall call, Runnable action) {
		return this.cancellations.add(call, action, () -> this.election.state().isCancelled(), this.executor);
	}

	void cancelAll() {
		this.cancellations.cancelAll(this.executor);
	}

}
