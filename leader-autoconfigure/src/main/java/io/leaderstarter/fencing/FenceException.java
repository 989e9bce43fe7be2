package io.leaderstarter.fencing;

import org.jspecify.annotations.Nullable;

/**
 * A fence could not be read, raised or checked, so nothing that needs it may go on.
 * <p>
 * Like {@code StaleLeaderException} it is a plain {@link RuntimeException}, as Spring
 * would commit after some others.
 *
 * @since 0.1.0
 */
public class FenceException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/**
	 * Makes the exception.
	 * @param message what could not be done, and what to do if somebody has to do
	 * something
	 * @param cause what the database said
	 */
	public FenceException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
