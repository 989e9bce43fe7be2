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

	private final @Nullable String advice;

	/**
	 * Create a new exception for a failure that may pass by itself, or whose cause is not
	 * known.
	 * @param message what failed
	 * @param cause the failure of the store's client
	 */
	public StoreException(String message, @Nullable Throwable cause) {
		this(message, null, cause);
	}

	/**
	 * Create a new exception for a failure that the user can end. If it stops the start
	 * of an application, the advice is shown as what to do.
	 * @param message what failed
	 * @param advice what to do, as whole sentences; {@code null} if it is not known
	 * @param cause the failure of the store's client
	 */
	public StoreException(String message, @Nullable String advice, @Nullable Throwable cause) {
		super(message, cause);
		this.advice = advice;
	}

	/**
	 * Return what to do.
	 * @return the advice, {@code null} if there is none
	 */
	public @Nullable String getAdvice() {
		return this.advice;
	}

}
