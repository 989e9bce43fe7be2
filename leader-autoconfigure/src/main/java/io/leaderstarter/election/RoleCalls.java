package io.leaderstarter.election;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
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

	private final Executor executor;

	/**
	 * Calls that run, and for an instant those that find out that they may not. A call is
	 * counted before it reads the state, and the state is changed before the count is
	 * read, so a call that was let in is never overlooked.
	 */
	private final AtomicInteger running = new AtomicInteger();

	/** What the running calls want done if their term is lost under them. */
	private final Queue<Cancellation> cancellations = new ConcurrentLinkedQueue<>();

	/**
	 * Create the calls of a role, of which none runs.
	 * @param election the election for the role
	 * @param executor where they are cancelled
	 */
	RoleCalls(RoleElection election, Executor executor) {
		this.election = election;
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
		this.election.record().skipped();
		exit();
	}

	/**
	 * End a call.
	 * @param call the call
	 * @param failure what it threw, {@code null} if it went well
	 */
	void end(RoleCall call, @Nullable Throwable failure) {
		if (!this.cancellations.isEmpty()) {
			this.cancellations.removeIf((cancellation) -> cancellation.call == call);
		}
		this.election.record().executed();
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
	 * It is run once at most, and not begun when its call has ended.
	 */
	Registration onCancel(RoleCall call, Runnable action) {
		Cancellation cancellation = new Cancellation(call, action);
		this.cancellations.add(cancellation);
		// Only now, or the loss could come between the question and the registration.
		if (this.election.state().isCancelled()) {
			this.executor.execute(cancellation);
		}
		return () -> this.cancellations.remove(cancellation);
	}

	/** Do all that is registered, each by itself, as one may hang. */
	void cancelAll() {
		this.cancellations.forEach(this.executor::execute);
	}

	/** Not a record: the same action can be registered twice. */
	private final class Cancellation implements Runnable {

		private final RoleCall call;

		private final Runnable action;

		private Cancellation(RoleCall call, Runnable action) {
			this.call = call;
			this.action = action;
		}

		@Override
		public void run() {
			if (RoleCalls.this.cancellations.remove(this)) {
				this.action.run();
			}
		}

	}

}
