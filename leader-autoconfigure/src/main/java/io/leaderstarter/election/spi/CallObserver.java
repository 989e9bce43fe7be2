package io.leaderstarter.election.spi;

import java.lang.reflect.Method;

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
	 * @param method what is called
	 * @return told when the call has ended
	 */
	Observed onBegin(ActiveTerm term, Method method);

	/**
	 * A call that is being watched.
	 */
	@FunctionalInterface
	interface Observed {

		/**
		 * The call has ended, on the thread that it began on. Its term is off the thread.
		 * @param failure what it threw, {@code null} if it returned
		 */
		void onEnd(@Nullable Throwable failure);

	}

}
