package io.leaderstarter.jdbc;

import java.util.List;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if a leader table is missing or has the wrong columns, or if the database is not
 * the configured one.
 *
 * @since 0.1.0
 */
public class LeaderSchemaException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final String advice;

	private final boolean missing;

	/**
	 * Create a new exception.
	 * @param message what is wrong
	 * @param advice what to do
	 * @param cause the failure of the database, {@code null} if there is none
	 */
	public LeaderSchemaException(String message, String advice, @Nullable Throwable cause) {
		this(message, advice, cause, false);
	}

	LeaderSchemaException(String message, String advice, @Nullable Throwable cause, boolean missing) {
		super(message, cause);
		this.advice = advice;
		this.missing = missing;
	}

	/**
	 * Create one exception with the messages and the advice of all given ones.
	 * @param all the exceptions, at least one
	 * @return the exception, with the first one as cause
	 */
	public static LeaderSchemaException of(List<LeaderSchemaException> all) {
		LeaderSchemaException first = all.get(0);
		return (all.size() == 1) ? first
				: new LeaderSchemaException(all.stream().map(Throwable::getMessage).collect(Collectors.joining(". ")),
						all.stream().map(LeaderSchemaException::getAdvice).collect(Collectors.joining(" ")), first);
	}

	/**
	 * Return what to do.
	 * @return the advice
	 */
	public String getAdvice() {
		return this.advice;
	}

	/**
	 * Return whether the table is missing and was not to be created.
	 * @return whether it is missing
	 */
	public boolean isMissing() {
		return this.missing;
	}

}
