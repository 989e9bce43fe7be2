package io.leaderstarter.jdbc;

import org.jspecify.annotations.Nullable;

/**
 * A table of ours is not there, or not as it has to be.
 *
 * @since 0.1.0
 */
public class LeaderSchemaException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final String advice;

	/**
	 * Makes the exception.
	 * @param message what is wrong
	 * @param advice what to do
	 * @param cause what the database said, {@code null} if nothing
	 */
	public LeaderSchemaException(String message, String advice, @Nullable Throwable cause) {
		super(message, cause);
		this.advice = advice;
	}

	/**
	 * Returns what to do.
	 * @return the advice
	 */
	public String getAdvice() {
		return this.advice;
	}

}
