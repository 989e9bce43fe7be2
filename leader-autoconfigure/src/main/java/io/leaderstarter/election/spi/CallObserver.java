package io.leaderstarter.election.spi;

import io.leaderstarter.ActiveTerm;
import org.jspecify.annotations.Nullable;

/**
 * Watches calls that run under a term, from their beginning to their end.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface CallObserver {

	/**
	 * A call begins, on this thread and with its term on it.
	 * @param term the term of the call
	 * @param type the class that does the work
	 * @param function the name of what is called
	 * @return notified when the call has ended
	 */
	Observed onBegin(ActiveTerm term, Class<?> type, String function);

	/**
	 * A call that is being watched.
	 */
	interface Observed {

		/**
		 * The call has left the thread that it began on, and so has its term. Called on
		 * that thread. The work can still go on, if a future or a stream was returned.
		 */
		default void onReturn() {
		}

		/**
		 * The work has ended. Called later than {@link #onReturn()}, on any thread.
		 * @param failure what it threw, {@code null} if it went well
		 */
		default void onEnd(@Nullable Throwable failure) {
		}

	}

}
