package io.leaderstarter.jdbc;

import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.ArrayDeque;
import java.util.ConcurrentModificationException;
import java.util.Deque;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * What failures of databases and drivers mean. A failure is classified by the SQL states
 * of itself and its causes, as pools wrap the failure of the driver. States and codes
 * that only one database uses are {@linkplain JdbcDialect#standardState translated by its
 * dialect}.
 *
 * @since 0.1.0
 */
public enum SqlError {

	/** A constraint is violated, such as a key that is there already. */
	DUPLICATE_KEY("23"),

	/**
	 * The transaction was rolled back for the sake of another one: a deadlock, or a
	 * conflict of serializable transactions. It may succeed if it is tried again.
	 */
	CONFLICT("40"),

	/** The statement was cancelled after a while, or gave up waiting for a lock. */
	LOCK_TIMEOUT("57014", "55P03", "70100", "HYT00"),

	/** There is no connection to the database, or no longer. */
	CONNECTION_LOST("08"),

	/** Nothing can be written in this transaction or to this server. */
	READ_ONLY("25006"),

	/**
	 * The transaction or an object of the database is in a state that does not allow the
	 * statement.
	 */
	INVALID_STATE("25", "55"),

	/** A value does not have the syntax of the type that it is cast to. */
	INVALID_CAST("22P02"),

	/** There is no such schema, which is a database to MySQL. */
	NO_SCHEMA("3D", "3F"),

	/**
	 * The table, a column or the schema is not there, or may not be used like that.
	 * Trying again does not help: a person has to do something.
	 */
	UNUSABLE("42", "3D", "3F"),

	/** The user lacks a privilege. */
	FORBIDDEN("4250");

	private final List<String> states;

	SqlError(String... states) {
		this.states = List.of(states);
	}

	/**
	 * Return whether this is what a failure means.
	 * @param failure the failure
	 * @return whether it is
	 */
	public boolean is(SQLException failure) {
		return states(failure).stream().anyMatch(this::includes);
	}

	private boolean includes(String state) {
		return this.states.stream().anyMatch(state::startsWith);
	}

	/**
	 * Create a failure of a database that is read-only.
	 * @param message what it means
	 * @return a failure that is {@link #READ_ONLY}
	 */
	public static SQLException readOnly(String message) {
		return new SQLException(message, READ_ONLY.states.get(0));
	}

	/**
	 * Return whether a failed read may mean both that there is no table and that the user
	 * may not read it. MySQL and Oracle do not distinguish these.
	 */
	static boolean isMissingOrForbidden(SQLException failure) {
		return "42000".equals(failure.getSQLState()) && !NO_SCHEMA.is(failure);
	}

	/**
	 * Return what to do about a database that cannot be connected to, or does not let
	 * this application do its work.
	 * @param failure the failure
	 * @param database the name of the database in messages
	 * @param settings which settings name the database and its user
	 * @return the advice, {@code null} if the state of the failure is not known
	 */
	public static @Nullable String advice(SQLException failure, String database, String settings) {
		return states(failure).stream()
			.map((state) -> advice(state, database, settings))
			.filter(Objects::nonNull)
			.findFirst()
			.orElse(null);
	}

	private static @Nullable String advice(String state, String database, String settings) {
		if (FORBIDDEN.includes(state)) {
			return "Let the database allow its user to do this, or name another user in %s.".formatted(settings);
		}
		if (READ_ONLY.includes(state)) {
			return "Connect to the primary, as a user who may write there: correct %s. On PostgreSQL, targetServerType=primary in the URL finds it among several servers."
				.formatted(settings);
		}
		if (state.startsWith("57P")) {
			return "Start the application again when the database has started.";
		}
		if (LOCK_TIMEOUT.includes(state)) {
			return "Find out what holds the database up, such as a transaction that has locked a table, and start the application again.";
		}
		return switch (state.substring(0, Math.min(2, state.length()))) {
			case "08" ->
				"Make %s reachable for this application and start it again. Check %s.".formatted(database, settings);
			case "28" ->
				"Correct the user name and the password in %s, or let the database accept them.".formatted(settings);
			case "3D" -> "Create the database, or correct its name in %s.".formatted(settings);
			case "3F" -> "Create the schema, or correct its name in %s.".formatted(settings);
			case "53" ->
				"Give the database what it lacks, such as more connections (max_connections), or let its clients use less.";
			default -> null;
		};
	}

	/** The innermost first, which knows best. */
	private static List<String> states(SQLException failure) {
		Deque<String> states = new ArrayDeque<>();
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			if (cause instanceof SQLException sql && sql.getSQLState() != null) {
				states.addFirst(JdbcDialects.standardState(sql.getSQLState(), sql.getErrorCode()));
			}
		}
		if (states.isEmpty() && failure instanceof SQLTimeoutException) {
			return CONNECTION_LOST.states;
		}
		if (failure.getCause() instanceof ConcurrentModificationException) {
			// H2 cannot read a table while another transaction changes its constraints.
			states.addAll(CONFLICT.states);
		}
		return List.copyOf(states);
	}

}
