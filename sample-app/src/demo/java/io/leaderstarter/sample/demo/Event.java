package io.leaderstarter.sample.demo;

import org.jspecify.annotations.Nullable;

/**
 * Something that happened.
 *
 * @param id grows with every event
 * @param at when, in milliseconds since 1970
 * @param kind what kind of thing, for the page
 * @param node where, if at a node
 * @param role the role that it is about, if it is about one
 * @param epoch the epoch that it is about, 0 if it is about none
 * @param count how many rows were written
 * @param text for display
 */
record Event(long id, long at, Kind kind, @Nullable String node, @Nullable String role, long epoch, int count,
		String text) {

	/** What kinds of events there are. */
	enum Kind {

		STARTED, READY, GRANTED, REVOKED, FROZEN, WOKE, KILLED, ENDED, STEERED, WROTE, REFUSED, UNTRIED, STALE, DOWN, UP

	}

}
