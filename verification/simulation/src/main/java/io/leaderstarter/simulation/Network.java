package io.leaderstarter.simulation;

import java.time.Duration;
import java.util.function.Supplier;

/**
 * The way from one process to a server.
 */
interface Network {

	/** On which nothing is lost or late. */
	Network DIRECT = new Network() {

		@Override
		public <T> T call(String request, Duration timeout, Supplier<T> effect) {
			return effect.get();
		}

	};

	/**
	 * Make a request.
	 * @param <T> the type of the answer
	 * @param request what it is
	 * @param timeout how long to wait for the answer
	 * @param effect what it does at the server
	 * @return the answer
	 * @throws io.leaderstarter.election.spi.StoreException if there was no answer
	 */
	<T> T call(String request, Duration timeout, Supplier<T> effect);

}
