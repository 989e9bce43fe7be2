package io.leaderstarter.scale;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

import io.leaderstarter.election.spi.LeaseStoreFactory;

/**
 * Three servers that keep leases, and what is promised of elections over them.
 */
interface Coordinator extends AutoCloseable {

	/** Makes stores over the servers. */
	LeaseStoreFactory stores();

	/** The properties that make an application use the servers. */
	List<String> properties();

	/** How many requests that cost have been made so far. */
	long requests() throws IOException;

	/** How many of them a renewal of all roles may take. */
	double requestsForRenewal();

	/** How much longer than the ttl the failover after a crash may take. */
	Duration longestDelay();

	/** Stops a server for good. */
	void stop(int position) throws Exception;

	@Override
	void close() throws IOException;

}
