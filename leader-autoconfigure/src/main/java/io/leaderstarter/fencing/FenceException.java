package io.leaderstarter.fencing;

import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import io.leaderstarter.jdbc.JdbcDialect;
import io.leaderstarter.jdbc.SqlError;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if a fence could not be read, raised or checked, so that nothing may be
 * committed.
 * <p>
 * Like {@code StaleLeaderException} it is a plain {@link RuntimeException}, as Spring
 * would commit after some others.
 *
 * @since 0.1.0
 */
public class FenceException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private static final String FOREIGN = "Keep what is to be fenced in PostgreSQL, MySQL, MariaDB or H2: this database is not supported, and does not understand the standard SQL that is used for others.";

	private static final String LEAVE_OUT = "Leave the database out: set leader.fence.data-sources to the names of the DataSource beans that are to be fenced.";

	private static final String NOT_REQUIRED = "Let terms begin without it: set leader.fence.required=false.";

	private final transient List<String> advice;

	/**
	 * Create a new exception.
	 * @param message what failed, and what to do about it
	 * @param cause the failure of the database
	 */
	public FenceException(String message, @Nullable Throwable cause) {
		this(message, List.of(), cause);
	}

	FenceException(String message, List<String> advice, @Nullable Throwable cause) {
		super(message, cause);
		this.advice = List.copyOf(advice);
	}

	/**
	 * Create an exception for a database that cannot be used, which stops the start of
	 * the application.
	 * @param problem what cannot be done, with a placeholder for the database
	 * @param database the name of the database in messages
	 * @param dialect the dialect of the database, {@code null} if it is not known
	 * @param cause the failure of the database
	 */
	static FenceException unusable(String problem, String database, @Nullable JdbcDialect dialect, SQLException cause) {
		String special = SqlError.advice(cause, "the database",
				"the settings of the DataSource '%s' (such as spring.datasource)".formatted(database));
		if (special == null && dialect != null && dialect.isAssumed()) {
			special = FOREIGN;
		}
		return new FenceException("%s: %s".formatted(problem.formatted(database), cause.getMessage()),
				Stream.of(special, LEAVE_OUT, NOT_REQUIRED).filter(Objects::nonNull).toList(), cause);
	}

	/**
	 * Return alternative actions.
	 * @return the advice, empty if there is none
	 */
	public List<String> getAdvice() {
		return this.advice;
	}

}
