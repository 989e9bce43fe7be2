package io.leaderstarter.election.spi;

import java.time.Duration;

/**
 * Listener that is notified of every request to the store, on the thread that makes them.
 * It must return at once.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface RequestListener {

	/**
	 * A request was made.
	 * @param request {@code observe}, {@code acquire}, {@code renew}, {@code release} or
	 * {@code announce}
	 * @param took how long it took until there was an answer, or none
	 * @param answered whether there was an answer
	 */
	void onRequest(String request, Duration took, boolean answered);

}
