package io.leaderstarter.fencing.trigger;

import java.sql.Connection;
import java.sql.SQLException;

import io.leaderstarter.jdbc.LeaderTable;
import io.leaderstarter.jdbc.JdbcDialects;

/**
 * Triggers of PostgreSQL, created by one block in the server, which a migration can run
 * as well. The server parses the names.
 */
record PostgreSqlTriggers(String fence) implements TriggerDialect {

	/** The quote around the blocks, which a name must not contain. */
	private static final String QUOTE = "$leader$";

	@Override
	public boolean exists(Connection connection, String table) throws SQLException {
		return JdbcDialects.isTrue(connection, "select to_regclass(%s) is not null".formatted(literal(table)));
	}

	@Override
	public String installScript(String table) {
		return script("guard-postgresql.sql", table);
	}

	@Override
	public String uninstallScript(String table) {
		return script("unguard-postgresql.sql", table);
	}

	private String script(String name, String table) {
		if (table.contains(QUOTE)) {
			throw new IllegalArgumentException("The name of a guarded table must not contain " + QUOTE);
		}
		return LeaderTable.read(TriggerDialect.class, name)
			.replace("'leader_fence'", literal(this.fence))
			.replace("'guarded_table'", literal(table));
	}

	/**
	 * With E and doubled backslashes, as a plain literal depends on a setting of the
	 * server.
	 */
	private static String literal(String text) {
		String quoted = "'" + text.replace("'", "''") + "'";
		return text.contains("\\") ? "E" + quoted.replace("\\", "\\\\") : quoted;
	}

}
