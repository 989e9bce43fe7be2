package io.leaderstarter.election;

import java.time.Duration;

/**
 * Is told of every renewal, on the thread that renews. It must return at once.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface RenewalListener {

	/**
	 * A renewal was tried.
	 * @param took how long it took until there was an answer, or none
	 * @param answered whether there was an answer
	 */
	void onRenewal(Duration took, boolean answered);

}
