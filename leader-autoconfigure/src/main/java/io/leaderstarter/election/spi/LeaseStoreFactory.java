package io.leaderstarter.election.spi;

import java.time.Duration;

/**
 * A store that could be used in this application.
 *
 * @since 0.1.0
 */
public interface LeaseStoreFactory {

	/**
	 * Returns what {@code leader.backend} calls the store.
	 * @return the name
	 */
	String name();

	/**
	 * Returns the shortest lease that the store can keep.
	 * @return the least ttl
	 */
	Duration minimumTtl();

	/**
	 * Makes the store.
	 * @param identity whose leases are kept, and where
	 * @return the store, which nothing was done with yet
	 */
	LeaseStore create(StoreIdentity identity);

}
