package io.leaderstarter.jdbc;

import java.util.List;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * A table of ours is not there, or not as it has to be, or the database is not what it is
 * configured as.
 *
 * @since 0.1.0
 */
public class LeaderSchemaException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final String advice;

	private final boolean missing;

	/**
	 * Makes the exception.
	 * @param message what is wrong
	 * @param advice what to do
	 * @param cause what the database said, {@code null} if nothing
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
	 * Create one exception that says all of others.
	 * @param all the others, at least one
	 * @return the exception, with the cause of the first
	 */
	public static LeaderSchemaException of(List<LeaderSchemaException> all) {
		LeaderSchemaException first = all.get(0);
		return (all.size() == 1) ? first
				: new LeaderSchemaException(all.stream().map(Throwable::getMessage).collect(Collectors.joining(". ")),
						all.stream().map(LeaderSchemaException::getAdvice).collect(Collectors.joining(" ")), first);
	}

	/**
	 * Returns what to do.
	 * @return the advice
	 */
	public String getAdvice() {
		return this.advice;
	}

	/**
	 * Returns whether the table is not there and was not to be created.
	 * @return whether it is missing
	 */
	public boolean isMissing() {
		return this.missing;
	}

}
