package io.leaderstarter.jdbc;

import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.ArrayDeque;
import java.util.ConcurrentModificationException;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * What failures of databases and drivers mean. A failure is classified by the SQL states
 * of itself and its causes, as pools wrap the failure of the driver. States and codes
 * that only one database uses are {@linkplain JdbcDialect#standardState translated by its
 * dialect}.
 *
 * @since 0.1.0
 */
public final class SqlErrors {

	private static final String CONNECTION = "08";

	private static final String FORBIDDEN = "4250";

	private static final String READ_ONLY = "25006";

	private static final String[] NO_SCHEMA = { "3D", "3F" };

	/** Cancelled after a while, or given up while waiting for a lock. */
	private static final String[] LOCK_TIMEOUT = { "57014", "55P03", "70100", "HYT00" };

	private SqlErrors() {
	}

	/**
	 * Create a failure of a database that is read-only.
	 * @param message what it means
	 * @return a failure that {@link #isReadOnly} knows
	 */
	public static SQLException readOnly(String message) {
		return new SQLException(message, READ_ONLY);
	}

	/**
	 * Return whether a constraint is violated, such as a key that is there already.
	 * @param failure the failure
	 * @return whether it is
	 */
	public static boolean isDuplicateKey(SQLException failure) {
		return matches(failure, "23");
	}

	/**
	 * Return whether the transaction was rolled back for the sake of another one: a
	 * deadlock, or a conflict of serializable transactions. H2 also fails to read a table
	 * while another transaction changes its constraints.
	 * @param failure the failure
	 * @return whether it may succeed if it is tried again
	 */
	public static boolean isConflict(SQLException failure) {
		return matches(failure, "40") || failure.getCause() instanceof ConcurrentModificationException;
	}

	/**
	 * Return whether the statement waited for too long, most likely for a lock.
	 * @param failure the failure
	 * @return whether it did
	 */
	public static boolean isLockTimeout(SQLException failure) {
		return matches(failure, LOCK_TIMEOUT);
	}

	/**
	 * Return whether there is no connection to the database, or no longer.
	 * @param failure the failure
	 * @return whether there is none
	 */
	public static boolean isConnectionLost(SQLException failure) {
		return matches(failure, CONNECTION);
	}

	/**
	 * Return whether nothing can be written in this transaction or to this server.
	 * @param failure the failure
	 * @return whether it is read-only
	 */
	public static boolean isReadOnly(SQLException failure) {
		return matches(failure, READ_ONLY);
	}

	/**
	 * Return whether the transaction or an object of the database is in a state that does
	 * not allow the statement.
	 * @param failure the failure
	 * @return whether it is
	 */
	public static boolean isInvalidState(SQLException failure) {
		return matches(failure, "25", "55");
	}

	/**
	 * Return whether a value does not have the syntax of the type that it is cast to.
	 * @param failure the failure
	 * @return whether a cast failed
	 */
	public static boolean isInvalidCast(SQLException failure) {
		return matches(failure, "22P02");
	}

	/**
	 * Return whether the table, a column or the schema is not there, or may not be used
	 * like that. Trying again does not help then.
	 * @param failure the failure
	 * @return whether a person has to do something
	 */
	public static boolean isUnusable(SQLException failure) {
		return matches(failure, "42") || isSchemaMissing(failure);
	}

	/**
	 * Return whether the user lacks a privilege.
	 * @param failure the failure
	 * @return whether the statement is forbidden
	 */
	public static boolean isForbidden(SQLException failure) {
		return matches(failure, FORBIDDEN);
	}

	/**
	 * Return whether a failed read may mean both that there is no table and that the user
	 * may not read it. MySQL and Oracle do not distinguish these.
	 */
	static boolean isMissingOrForbidden(SQLException failure) {
		return "42000".equals(failure.getSQLState()) && !isSchemaMissing(failure);
	}

	/** Return whether there is no such schema, which is a database to MySQL. */
	static boolean isSchemaMissing(SQLException failure) {
		return matches(failure, NO_SCHEMA);
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
		if (matches(state, FORBIDDEN)) {
			return "Let the database allow its user to do this, or name another user in %s.".formatted(settings);
		}
		if (matches(state, READ_ONLY)) {
			return "Connect to the primary, as a user who may write there: correct %s. On PostgreSQL, targetServerType=primary in the URL finds it among several servers."
				.formatted(settings);
		}
		if (matches(state, "57P")) {
			return "Start the application again when the database has started.";
		}
		if (matches(state, LOCK_TIMEOUT)) {
			return "Find out what holds the database up, such as a transaction that has locked a table, and start the application again.";
		}
		return switch (state.substring(0, Math.min(2, state.length()))) {
			case CONNECTION ->
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

	private static boolean matches(SQLException failure, String... prefixes) {
		return states(failure).stream().anyMatch((state) -> matches(state, prefixes));
	}

	private static boolean matches(String state, String... prefixes) {
		return Stream.of(prefixes).anyMatch(state::startsWith);
	}

	/** The innermost first, which knows best. */
	private static List<String> states(SQLException failure) {
		Deque<String> states = new ArrayDeque<>();
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			if (cause instanceof SQLException sql && sql.getSQLState() != null) {
				states.addFirst(JdbcDialects.standardState(sql.getSQLState(), sql.getErrorCode()));
			}
		}
		boolean timedOut = states.isEmpty() && failure instanceof SQLTimeoutException;
		return timedOut ? List.of(CONNECTION) : List.copyOf(states);
	}

}
