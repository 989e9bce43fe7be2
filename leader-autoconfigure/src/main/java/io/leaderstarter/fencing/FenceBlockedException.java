package io.leaderstarter.fencing;

import java.util.List;

/**
 * Thrown if a fence could not be raised in time because of transactions that hold its
 * lock.
 *
 * @since 0.1.0
 */
public final class FenceBlockedException extends FenceException {

	private static final long serialVersionUID = 1L;

	private final transient List<String> sessions;

	/**
	 * Create a new exception.
	 * @param message what could not be done
	 * @param cause the failure of the database
	 * @param sessions descriptions of the sessions that hold it up
	 */
	FenceBlockedException(String message, Throwable cause, List<String> sessions) {
		super(message, cause);
		this.sessions = List.copyOf(sessions);
	}

	/**
	 * Return descriptions of the sessions that hold it up.
	 * @return a line of text for each, empty if they are not known
	 */
	public List<String> sessions() {
		return this.sessions;
	}

}
