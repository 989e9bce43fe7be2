package io.leaderstarter;

import java.util.List;

/**
 * A term cannot begin, because transactions of earlier terms keep its fence from being
 * raised. If this goes on, somebody has to end the sessions.
 *
 * @param leadership the term that would begin
 * @param database name of the database whose fence it is
 * @param sessions the sessions that hold locks on the fence, as the database describes
 * them; empty if it does not
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
