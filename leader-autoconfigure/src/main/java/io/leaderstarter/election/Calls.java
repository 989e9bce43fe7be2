package io.leaderstarter.election;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.leaderstarter.LeaderContext;
import io.leaderstarter.election.spi.CallListener;
import io.leaderstarter.election.spi.CallObserver;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Runs work under a term: the term is bound to the thread, listeners are notified, and
 * the role is kept until the work has ended.
 *
 * @since 0.1.0
 */
public final class Calls {

	private static final Log logger = LogFactory.getLog(Calls.class);

	/** Without listeners and observers. */
	static final Calls PLAIN = new Calls(List::of, List::of);

	private final Supplier<List<CallListener>> listeners;

	private final Supplier<List<CallObserver>> observers;

	/**
	 * Create calls with listeners and observers.
	 * @param listeners notified of every call before its work, which they can refuse
	 * @param observers watch the calls. Like the listeners, they are resolved when a call
	 * begins
	 */
	public Calls(Supplier<List<CallListener>> listeners, Supplier<List<CallObserver>> observers) {
		this.listeners = listeners;
		this.observers = observers;
	}

	/**
	 * Run work to its end on this thread.
	 * @param call the call that it is, which ends with it
	 * @param type the class that does the work
	 * @param function the name of what is called
	 * @param work the work
	 * @param <E> what the work may throw
	 * @return what the work returned
	 * @throws E what the work threw
	 */
	public <E extends Throwable> @Nullable Object run(RoleCall call, Class<?> type, String function, Work<E> work)
			throws E {
		Running running = begin(call, type, function);
		Throwable failure = null;
		try {
			running.notifyListeners();
			return work.run();
		}
		catch (Throwable ex) {
			failure = ex;
			throw ex;
		}
		finally {
			running.leaveThread();
			running.end(failure);
		}
	}

	/**
	 * Begin work that can end later than it returns. It is on this thread until it
	 * {@link Running#leaveThread() leaves} it, and has to {@link Running#end(Throwable)
	 * end}, whatever happens.
	 * @param call the call that it is
	 * @param type the class that does the work
	 * @param function the name of what is called
	 * @return the running work, of which only observers were notified so far
	 */
	public Running begin(RoleCall call, Class<?> type, String function) {
		LeaderContext.Scope scope = LeaderContext.open(call);
		try {
			return new Running(call, scope, observe(call, type, function));
		}
		catch (Throwable ex) {
			// Or the role would be kept for ever.
			scope.close();
			call.abandon();
			throw ex;
		}
	}

	/**
	 * Notify the observers of a beginning in order.
	 * @return those to notify of the rest, in reverse order
	 */
	private List<CallObserver.Observed> observe(RoleCall call, Class<?> type, String function) {
		List<CallObserver> present = this.observers.get();
		if (present.isEmpty()) {
			return List.of();
		}
		List<CallObserver.Observed> begun = new ArrayList<>(present.size());
		notifyEach(present, (observer) -> begun.add(observer.onBegin(call, type, function)));
		Collections.reverse(begun);
		return begun;
	}

	/** A failure is logged: observing a call must not change it. */
	private static <T> void notifyEach(List<T> observers, Consumer<T> step) {
		for (T observer : observers) {
			try {
				step.accept(observer);
			}
			catch (Throwable ex) {
				logger.warn("A call under a term could not be observed", ex);
			}
		}
	}

	/**
	 * What is to be done under a term.
	 *
	 * @param <E> what it may throw
	 */
	@FunctionalInterface
	public interface Work<E extends Throwable> {

		/**
		 * Do the work.
		 * @return its result
		 * @throws E what went wrong
		 */
		@Nullable Object run() throws E;

	}

	/**
	 * Work that has begun.
	 */
	public final class Running {

		private final RoleCall call;

		private final LeaderContext.Scope scope;

		private final List<CallObserver.Observed> observed;

		private boolean left;

		private boolean ended;

		private @Nullable Throwable failure;

		private Running(RoleCall call, LeaderContext.Scope scope, List<CallObserver.Observed> observed) {
			this.call = call;
			this.scope = scope;
			this.observed = observed;
		}

		/**
		 * Notify the listeners, before the work begins. If one throws, it must not begin.
		 */
		public void notifyListeners() {
			Calls.this.listeners.get().forEach((listener) -> listener.onCall(this.call));
		}

		/**
		 * Unbind the term from this thread, which is the one that the work began on.
		 */
		public void leaveThread() {
			this.scope.close();
			notifyEach(this.observed, CallObserver.Observed::onReturn);
			synchronized (this) {
				this.left = true;
				if (!this.ended) {
					return;
				}
			}
			finish();
		}

		/**
		 * End the work, so that the role is no longer kept for it. May be called by any
		 * thread, also before the work has left its own: observers are notified in order
		 * all the same.
		 * @param failure what the work threw, {@code null} if it went well
		 */
		public void end(@Nullable Throwable failure) {
			synchronized (this) {
				if (this.ended) {
					return;
				}
				this.ended = true;
				this.failure = failure;
				if (!this.left) {
					return;
				}
			}
			finish();
		}

		private void finish() {
			this.call.end(this.failure);
			notifyEach(this.observed, (one) -> one.onEnd(this.failure));
		}

	}

}
