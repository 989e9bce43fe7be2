package io.leaderstarter.fencing.trigger;

import java.sql.SQLException;
import java.util.Set;

import io.leaderstarter.jdbc.LeaderSchemaException;

/**
 * Says why a table could not be guarded.
 */
final class TriggerFailure {

	/**
	 * What was refused to this user: by PostgreSQL; by MySQL for a schema, a table, a
	 * column, a privilege, a routine, and what its log needs.
	 */
	private static final Set<String> STATES = Set.of("42501");

	private static final Set<Integer> CODES = Set.of(1044, 1142, 1143, 1227, 1370, 1419);

	private TriggerFailure() {
	}

	/**
	 * Return what to throw.
	 */
	static RuntimeException explain(String table, SQLException failure) throws SQLException {
		if (isMissingPrivilege(failure)) {
			return new LeaderSchemaException(
					"The table %s cannot be guarded by this user: %s".formatted(table, failure.getMessage()),
					"Let a migration guard it, with what FenceTriggers.installScript() returns, and set leader.schema.initialize=never; see 'Guarded tables' in docs/fencing.md.",
					failure);
		}
		if (failure.getSQLState() != null && failure.getSQLState().startsWith("42")) {
			return new LeaderSchemaException(
					"The table %s cannot be guarded: %s".formatted(table, failure.getMessage()),
					"Correct leader.fence.guarded-tables: names of tables as SQL knows them, maybe with a schema.",
					failure);
		}
		throw failure;
	}

	private static boolean isMissingPrivilege(SQLException failure) {
		return STATES.contains(String.valueOf(failure.getSQLState())) || CODES.contains(failure.getErrorCode());
	}

}
