package io.leaderstarter.election;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

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

	/**
	 * What the running calls of a role want done if their term is lost under them. Each
	 * is done once at most, and not begun when its call has ended.
	 */
	static final class Cancellations {

		private final Set<Registered> registered = ConcurrentHashMap.newKeySet();

		/**
		 * Register an action of a call.
		 * @param call whose action it is
		 * @param action what to do
		 * @param cancelled whether it has to be done already
		 * @param executor where it is done
		 */
		Registration add(Object call, Runnable action, BooleanSupplier cancelled, Executor executor) {
			Registered one = new Registered(call, action);
			this.registered.add(one);
			// Only now, or the loss could come between the question and the registration.
			if (cancelled.getAsBoolean()) {
				cancel(one, executor);
			}
			return () -> this.registered.remove(one);
		}

		/**
		 * Forget what a call wanted, as it has ended.
		 */
		void forget(Object call) {
			if (!this.registered.isEmpty()) {
				this.registered.removeIf((one) -> one.call == call);
			}
		}

		/**
		 * Do all that is registered, each by itself, as one may hang.
		 */
		void cancelAll(Executor executor) {
			this.registered.forEach((one) -> cancel(one, executor));
		}

		private void cancel(Registered one, Executor executor) {
			if (this.registered.contains(one)) {
				executor.execute(() -> {
					if (this.registered.remove(one)) {
						one.action.run();
					}
				});
			}
		}

		/** Not a record: the same action can be registered twice. */
		private static final class Registered {

			private final Object call;

			private final Runnable action;

			private Registered(Object call, Runnable action) {
				this.call = call;
				this.action = action;
			}

		}

	}

}
