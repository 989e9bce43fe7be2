package io.leaderstarter.sample.demo;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * How everything is now, for the page.
 *
 * @param now when that is, in milliseconds since 1970
 * @param backend what the leases are kept in
 * @param database where the invoices are
 * @param up whether both answer, {@code null} before they were started
 * @param ttlMillis how long a lease lasts
 * @param freezeMillis how long a node is frozen
 * @param servers the servers that run
 * @param nodes the nodes
 * @param totals numbers since the start
 */
record Snapshot(long now, String backend, String database, @Nullable Boolean up, long ttlMillis, long freezeMillis,
		List<ServerView> servers, List<NodeView> nodes, Totals totals) {

	/**
	 * A server that nodes share.
	 *
	 * @param name what people call it
	 * @param process the id of its process
	 */
	record ServerView(String name, long process) {
	}

	/**
	 * Numbers since the start.
	 *
	 * @param landed rows that leaders have written
	 * @param refused writes that the database has refused
	 * @param untried writes that nodes did not try, as they knew that their term is over
	 * @param stale rows in the database that should have been refused
	 */
	record Totals(long landed, long refused, long untried, long stale) {
	}

}
