package io.leaderstarter.election.spi;

import java.time.Duration;

/**
 * A store that could be used in this application.
 *
 * @since 0.1.0
 */
public interface LeaseStoreFactory {

	/**
	 * Return what {@code leader.backend} calls the store.
	 * @return the name
	 */
	String name();

	/**
	 * Return the shortest lease that the store can keep.
	 * @return the least ttl
	 */
	Duration minimumTtl();

	/**
	 * Return how often a lease is renewed in its ttl, if nothing else is set.
	 * @return the number of renewals
	 */
	default int renewalsPerTtl() {
		return 3;
	}

	/**
	 * Return how many intervals between renewals have to fit into the ttl, beside the
	 * time of a request and the margin. Two do where a lease counts from the request that
	 * renewed it: one renewal may fail then. Where it counts from an earlier request it
	 * takes more.
	 * @return the number of intervals
	 */
	default int leastIntervalsPerTtl() {
		return 2;
	}

	/**
	 * Create the store.
	 * @param identity whose leases are kept, and where
	 * @return the store, which nothing was done with yet
	 */
	LeaseStore create(StoreIdentity identity);

}
