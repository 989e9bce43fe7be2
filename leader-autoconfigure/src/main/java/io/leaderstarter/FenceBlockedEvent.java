package io.leaderstarter;

import java.util.List;

/**
 * A term cannot begin, because transactions of earlier terms keep its fence from being
 * raised. If this goes on, somebody has to end the sessions.
 *
 * @param leadership the term that would begin
 * @param database name of the database whose fence it is
 * @param sessions what the database tells of the sessions that hold it up, empty if it
 * cannot tell
 * @since 0.1.0
 */
public record FenceBlockedEvent(Leadership leadership, String database, List<String> sessions) {

	/**
	 * Makes the event.
	 */
	public FenceBlockedEvent {
		sessions = List.copyOf(sessions);
	}

}
