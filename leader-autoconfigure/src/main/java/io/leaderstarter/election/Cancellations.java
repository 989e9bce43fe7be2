package io.leaderstarter.election;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;

import io.leaderstarter.Registration;

/**
 * What the running calls of a role want done if their term is lost under them. Each is
 * done once at most, and not begun when its call has ended.
 */
final class Cancellations {

	private final Set<Registered> registered = ConcurrentHashMap.newKeySet();

	/**
	 * Registers an action of a call.
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
	 * Forgets what a call wanted, as it has ended.
	 */
	void forget(Object call) {
		if (!this.registered.isEmpty()) {
			this.registered.removeIf((one) -> one.call == call);
		}
	}

	/**
	 * Does all that is registered, each by itself, as one may hang.
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
