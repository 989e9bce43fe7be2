package io.leaderstarter.election.state;

/**
 * The times of a lease do not fit together, or not to the store.
 *
 * @since 0.1.0
 */
public class InvalidLeaseTimingException extends IllegalArgumentException {

	private static final long serialVersionUID = 1L;

	private final String advice;

	public InvalidLeaseTimingException(String message, String advice) {
		super(message);
		this.advice = advice;
	}

	/**
	 * Return what to set instead.
	 * @return the advice
	 */
	public String getAdvice() {
		return this.advice;
	}

}
