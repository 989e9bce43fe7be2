package io.leaderstarter.jdbc;

import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Says what to do about a database that cannot be used. What helps where one is away does
 * not help where it answers and refuses.
 *
 * @since 0.1.0
 */
public final class DatabaseAdvice {

	private static final String UNREACHABLE = "08";

	static final String FORBIDDEN = "42501";

	private static final String READ_ONLY = "25006";

	/** Cancelled after a while, or given up waiting for a lock. */
	private static final Set<String> HELD_UP = Set.of("57014", "55P03", "70100", "HYT00");

	/** What others say for one of the states that are used here. */
	private static final Map<String, String> STATES = Map.of("08004", "53", "90067", UNREACHABLE, "90079", "3F",
			"90096", FORBIDDEN, "90097", READ_ONLY, "90146", "3D", "90149", "3D");

	/** What MySQL and MariaDB only have a number for. */
	private static final Map<Integer, String> CODES = Map.of(1044, FORBIDDEN, 1049, "3D", 1290, READ_ONLY);

	private DatabaseAdvice() {
	}

	/**
	 * Return what to do about a database that cannot be connected to, or does not let
	 * this application do what it has to.
	 * @param failure what the database or its driver said
	 * @param database what people know the database by
	 * @param settings where they say which one it is, and who connects
	 * @return the advice, {@code null} if the failure does not tell
	 */
	public static @Nullable String of(SQLException failure, String database, String settings) {
		String state = state(failure);
		String kind = state.substring(0, Math.min(2, state.length()));
		if (state.equals(FORBIDDEN)) {
			return "Let the database allow its user to do this, or name another user in %s.".formatted(settings);
		}
		if (state.equals(READ_ONLY)) {
			return "Connect to the primary, as a user who may write there: correct %s. On PostgreSQL, targetServerType=primary in the URL finds it among several servers."
				.formatted(settings);
		}
		if (state.startsWith("57P")) {
			return "Start the application again when the database has started.";
		}
		if (HELD_UP.contains(state)) {
			return "Find out what holds the database up, such as a transaction that has locked a table, and start the application again.";
		}
		return switch (kind) {
			case UNREACHABLE ->
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

	/** Return whether there is no such schema, which is a database to MySQL. */
	static boolean isSchemaMissing(SQLException failure) {
		String state = state(failure);
		return state.startsWith("3F") || state.startsWith("3D");
	}

	/**
	 * Return the SQL state of a failure, by the standard where a database has its own.
	 * The innermost one counts, as pools put their own failure around that of the driver.
	 */
	static String state(SQLException failure) {
		String state = (failure instanceof SQLTimeoutException) ? UNREACHABLE : "";
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			if (cause instanceof SQLException said && said.getSQLState() != null) {
				state = known(said.getSQLState(), said.getErrorCode());
			}
		}
		return state;
	}

	private static String known(String state, int code) {
		boolean vague = state.equals("42000") || state.equals("HY000");
		return vague ? CODES.getOrDefault(code, state) : STATES.getOrDefault(state, state);
	}

}
