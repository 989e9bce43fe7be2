package io.leaderstarter;

/**
 * This member does not lead the role that the call needs.
 *
 * @since 0.1.0
 */
public class NotLeaderException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create the exception.
	 * @param message what was called and which role it needs
	 */
	public NotLeaderException(String message) {
		super(message);
	}

}
