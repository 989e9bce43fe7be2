package io.leaderstarter;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;

/**
 * The terms that the running call belongs to.
 * <p>
 * A {@link LeaderOnly} call and all that it calls on its thread see the term that the
 * call <em>began</em> under, even if the member has lost the role and won it again since.
 * Calls of several roles may be nested; the innermost is {@link #current()}. For other
 * threads there is {@link #wrap(Runnable)}.
 *
 * @since 0.1.0
 */
public final class LeaderContext {

	private static final ThreadLocal<@Nullable LeaderContext> CURRENT = new ThreadLocal<>();

	private final ActiveTerm term;

	private final @Nullable LeaderContext outer;

	private LeaderContext(ActiveTerm term, @Nullable LeaderContext outer) {
		this.term = term;
		this.outer = outer;
	}

	/**
	 * Return the term of the running call.
	 * @return the innermost term, empty outside of {@link LeaderOnly} calls
	 */
	public static Optional<Leadership> current() {
		LeaderContext context = CURRENT.get();
		return (context != null) ? Optional.of(context.term.leadership()) : Optional.empty();
	}

	/**
	 * Return the epoch of the running call, to be sent along to whatever can refuse an
	 * older one.
	 * @return the epoch of the innermost term
	 * @throws NotLeaderException outside of {@link LeaderOnly} calls
	 */
	public static long epoch() {
		return current().map(Leadership::epoch)
			.orElseThrow(() -> new NotLeaderException("There is no term here: not called from a @LeaderOnly method"));
	}

	/**
	 * Return whether all terms that the running call belongs to still last. Long work
	 * should ask now and then, and end early if they do not.
	 * @return whether to go on; false outside of {@link LeaderOnly} calls
	 */
	public static boolean isStillLeader() {
		return CURRENT.get() != null && firstInvalid() == null;
	}

	/**
	 * Return whether a term that the running call belongs to is ending: this member
	 * resigns, is paused or stops. The call may still finish its current step, and write,
	 * as long as {@link #isStillLeader()}; it should not begin another step.
	 * @return whether to come to an end; true if a term is lost already, false outside of
	 * {@link LeaderOnly} calls
	 */
	public static boolean isEnding() {
		for (LeaderContext context = CURRENT.get(); context != null; context = context.outer) {
			if (context.term.isEnding()) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Register an action for the case that a term of the running call is lost before the
	 * call ends, or that the call takes longer to end than the drain time-out. For what
	 * cannot ask {@link #isStillLeader()} itself: to close a socket, to cancel a
	 * statement. Run once, on another thread, at once if that is so already, and never
	 * after the call has ended.
	 * @param action what to do
	 * @return ends the registration
	 * @throws NotLeaderException outside of {@link LeaderOnly} calls
	 */
	public static Registration onCancel(Runnable action) {
		epoch();
		AtomicBoolean done = new AtomicBoolean();
		Runnable once = () -> {
			if (done.compareAndSet(false, true)) {
				action.run();
			}
		};
		List<Registration> registered = terms().stream().map((term) -> term.onCancel(once)).toList();
		return () -> registered.forEach(Registration::close);
	}

	/**
	 * End work that has lost its term.
	 * @throws StaleLeaderException if a term that the running call belongs to is over
	 * @throws NotLeaderException outside of {@link LeaderOnly} calls
	 */
	public static void check() {
		epoch();
		ActiveTerm invalid = firstInvalid();
		if (invalid != null) {
			throw new StaleLeaderException(invalid.leadership());
		}
	}

	/**
	 * Return all terms that the running call belongs to, the innermost first. For what
	 * connects resources to terms; applications rarely need it.
	 * @return the terms, empty outside of {@link LeaderOnly} calls
	 */
	public static List<ActiveTerm> terms() {
		List<ActiveTerm> terms = new ArrayList<>();
		for (LeaderContext context = CURRENT.get(); context != null; context = context.outer) {
			terms.add(context.term);
		}
		return terms;
	}

	/**
	 * Carry the terms of the running call to wherever the task runs.
	 * @param task what runs elsewhere
	 * @return a task that sees the terms of the present call
	 */
	public static Runnable wrap(Runnable task) {
		LeaderContext captured = CURRENT.get();
		return () -> {
			Scope scope = restore(captured);
			try (scope) {
				task.run();
			}
		};
	}

	/**
	 * Carry the terms of the running call to wherever the task runs.
	 * @param <T> what the task returns
	 * @param task what runs elsewhere
	 * @return a task that sees the terms of the present call
	 */
	public static <T> Callable<T> wrap(Callable<T> task) {
		LeaderContext captured = CURRENT.get();
		return () -> {
			Scope scope = restore(captured);
			try (scope) {
				return task.call();
			}
		};
	}

	/**
	 * Return the terms of the running call as one, for what carries them elsewhere.
	 * Applications use {@link #wrap(Runnable)}.
	 * @return the terms, {@code null} outside of {@link LeaderOnly} calls
	 */
	public static @Nullable LeaderContext snapshot() {
		return CURRENT.get();
	}

	/**
	 * Put terms on this thread in place of those that are there.
	 * @param snapshot the terms; {@code null} for none
	 * @return puts back what was there, on the same thread
	 */
	public static Scope restore(@Nullable LeaderContext snapshot) {
		LeaderContext previous = CURRENT.get();
		set(snapshot);
		return () -> set(previous);
	}

	/**
	 * Put a term on this thread, inside of those that are there. For what begins calls;
	 * applications use {@link LeaderOnly}.
	 * @param term the term that a call begins under
	 * @return takes the term off again, on the same thread
	 */
	public static Scope open(ActiveTerm term) {
		LeaderContext outer = CURRENT.get();
		CURRENT.set(new LeaderContext(term, outer));
		return () -> set(outer);
	}

	private static @Nullable ActiveTerm firstInvalid() {
		for (LeaderContext context = CURRENT.get(); context != null; context = context.outer) {
			if (!context.term.isValid()) {
				return context.term;
			}
		}
		return null;
	}

	private static void set(@Nullable LeaderContext context) {
		if (context != null) {
			CURRENT.set(context);
		}
		else {
			// Leaves nothing behind on threads that belong to a pool.
			CURRENT.remove();
		}
	}

	/**
	 * The time for which a term is on a thread.
	 */
	@FunctionalInterface
	public interface Scope extends AutoCloseable {

		@Override
		void close();

	}

}
