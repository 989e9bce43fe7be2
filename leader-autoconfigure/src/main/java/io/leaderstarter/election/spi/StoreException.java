package io.leaderstarter.election.spi;

import org.jspecify.annotations.Nullable;

/**
 * A call of a store failed or its outcome is not known. It may have taken effect, or may
 * still do so.
 *
 * @since 0.1.0
 */
public class StoreException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/**
	 * Makes the exception.
	 * @param message what failed, and what to do if somebody has to do something
	 * @param cause what the store's client said
	 */
	public StoreException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
