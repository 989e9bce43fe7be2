package io.leaderstarter.election.spi;

import io.leaderstarter.ActiveTerm;

/**
 * Listener that is notified of every call that begins under a term.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface CallListener {

	/**
	 * A call begins, on this thread and with its term on it. An exception ends the call.
	 * @param term the term of the call
	 */
	void onCall(ActiveTerm term);

}
