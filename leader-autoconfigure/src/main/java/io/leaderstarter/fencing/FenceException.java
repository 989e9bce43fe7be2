package io.leaderstarter.fencing;

import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import io.leaderstarter.jdbc.JdbcDialect;
import io.leaderstarter.jdbc.SqlErrors;
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

	private static final String FOREIGN = "Keep what is to be fenced in PostgreSQL, MySQL, MariaDB or H2: the database is none that fences know, and does not understand what they assume of others.";

	private static final String LEAVE_OUT = "Leave the database out: set leader.fence.data-sources to the names of the DataSource beans that are to be fenced.";

	private static final String NOT_REQUIRED = "Let terms begin without it: set leader.fence.required=false.";

	private final transient List<String> advice;

	/**
	 * Create a new exception.
	 * @param message what could not be done, and what to do if somebody has to do
	 * something
	 * @param cause what the database said
	 */
	public FenceException(String message, @Nullable Throwable cause) {
		this(message, List.of(), cause);
	}

	FenceException(String message, List<String> advice, @Nullable Throwable cause) {
		super(message, cause);
		this.advice = List.copyOf(advice);
	}

	/**
	 * Create an exception for a database that cannot be used as it should, which stops
	 * the start of an application.
	 * @param problem what cannot be done, with a place for the database
	 * @param database what people know the database by
	 * @param dialect what it was taken for, {@code null} if that was not found out
	 * @param cause what the database said
	 */
	static FenceException unusable(String problem, String database, @Nullable JdbcDialect dialect, SQLException cause) {
		String special = SqlErrors.advice(cause, "the database",
				"the settings of the DataSource '%s' (such as spring.datasource)".formatted(database));
		if (special == null && dialect != null && dialect.isAssumed()) {
			special = FOREIGN;
		}
		return new FenceException("%s: %s".formatted(problem.formatted(database), cause.getMessage()),
				Stream.of(special, LEAVE_OUT, NOT_REQUIRED).filter(Objects::nonNull).toList(), cause);
	}

	/**
	 * Return what can be done, each of which is enough.
	 * @return the advice, empty if it is not known
	 */
	public List<String> getAdvice() {
		return this.advice;
	}

}
