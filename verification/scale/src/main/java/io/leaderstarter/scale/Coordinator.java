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

	/** What an application has to be told to use the servers. */
	List<String> properties();

	/** How many requests that cost have been made so far. */
	long requests() throws IOException;

	/** How many of them a renewal of all roles may take. */
	double requestsForRenewal();

	/** How much later than the ttl a member that crashed may be followed. */
	Duration longestDelay();

	/** Stops a server for good. */
	void stop(int position) throws Exception;

	@Override
	void close() throws IOException;

}
