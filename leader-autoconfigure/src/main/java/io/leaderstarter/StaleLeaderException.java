package io.leaderstarter;

/**
 * The term that the call began under is over, so what the call still does must not take
 * effect.
 * <p>
 * It is a plain {@link RuntimeException} on purpose: Spring commits after a
 * {@code TransactionException} that is thrown while it completes a transaction, and
 * retries what is called transient.
 *
 * @since 0.1.0
 */
public class StaleLeaderException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create the exception.
	 * @param leadership the term that is over
	 */
	public StaleLeaderException(Leadership leadership) {
		super("The term " + leadership + " is over");
	}

	/**
	 * Create the exception for a resource that knows only what was sent to it of the
	 * term.
	 * @param message which epoch was refused, and why
	 */
	public StaleLeaderException(String message) {
		super(message);
	}

}
