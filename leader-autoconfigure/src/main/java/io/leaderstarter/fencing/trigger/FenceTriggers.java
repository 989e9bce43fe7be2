package io.leaderstarter.fencing.trigger;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

import io.leaderstarter.jdbc.JdbcDialect;
import io.leaderstarter.jdbc.LeaderSchemaException;
import io.leaderstarter.jdbc.SqlErrors;
import io.leaderstarter.jdbc.LeaderTable;

/**
 * Triggers by which a database itself refuses writes to a table that carry no epoch, or
 * one that is over, whoever writes. There are some for PostgreSQL, MySQL and MariaDB.
 * <p>
 * A name of a table is what SQL calls it, with quotes where SQL needs them and maybe with
 * a schema. It cannot smuggle in other SQL.
 *
 * @since 0.1.0
 */
public final class FenceTriggers {

	/** SQL state of a write that carries no epoch. */
	public static final String NO_EPOCH = "LF001";

	/** SQL state of a write whose epoch is not the one that leads. */
	public static final String STALE_EPOCH = "LF002";

	private final TriggerDialect triggers;

	/**
	 * Create the triggers of a database.
	 * @param dialect what the database is
	 * @param tablePrefix the beginning of the fence table's name, maybe with a schema
	 * @throws IllegalArgumentException if there are no triggers for such a database
	 */
	public FenceTriggers(JdbcDialect dialect, String tablePrefix) {
		String table = new LeaderTable("fence", tablePrefix, List.of(), "leader.fence").qualifiedName();
		this.triggers = switch (dialect.platform()) {
			case "postgresql" -> new PostgreSqlTriggers(table);
			case "mysql", "mariadb" -> new MySqlTriggers(table);
			default -> throw new IllegalArgumentException(
					"Only PostgreSQL, MySQL and MariaDB can guard tables, and this is '%s'"
						.formatted(dialect.platform()));
		};
	}

	/**
	 * Return whether the database has a table, as far as this connection's user may know
	 * it.
	 * @param connection a connection
	 * @param table the table
	 * @return whether it is there
	 * @throws SQLException if the database fails
	 * @throws LeaderSchemaException if the name cannot be one
	 */
	public boolean exists(Connection connection, String table) throws SQLException {
		try {
			return this.triggers.exists(connection, table);
		}
		catch (SQLException ex) {
			throw explain(table, ex);
		}
	}

	/**
	 * Guard a table. What is there already is left as it is, without a lock on the table;
	 * any number of members may do this at a time.
	 * @param connection a connection that commits by itself
	 * @param table the table
	 * @throws SQLException if the database fails
	 * @throws LeaderSchemaException if the table cannot be guarded, or not by this user
	 */
	public void install(Connection connection, String table) throws SQLException {
		try {
			this.triggers.install(connection, table);
		}
		catch (SQLException ex) {
			throw explain(table, ex);
		}
	}

	/**
	 * Take the guard off a table. The routine that the triggers call stays, as other
	 * tables may need it.
	 * @param connection a connection that commits by itself
	 * @param table the table
	 * @throws SQLException if the database fails
	 */
	public void uninstall(Connection connection, String table) throws SQLException {
		this.triggers.uninstall(connection, table);
	}

	/**
	 * Return what {@link #install} does as a script for a migration. On PostgreSQL it is
	 * one statement, which can be run again. On MySQL and MariaDB it is for a runner that
	 * knows {@code delimiter}, such as Flyway or the server's own client, and is run
	 * once.
	 * @param table the table
	 * @return SQL
	 */
	public String installScript(String table) {
		return this.triggers.installScript(table);
	}

	/**
	 * Return what {@link #uninstall} does as a script for a migration.
	 * @param table the table
	 * @return SQL
	 */
	public String uninstallScript(String table) {
		return this.triggers.uninstallScript(table);
	}

	private static RuntimeException explain(String table, SQLException failure) throws SQLException {
		if (SqlErrors.isForbidden(failure)) {
			return new LeaderSchemaException(
					"The table %s cannot be guarded by this user: %s".formatted(table, failure.getMessage()),
					"Let a migration guard it, with what FenceTriggers.installScript() returns, and set leader.fence.initialize-schema=never; see 'Guarded tables' in docs/fencing.md.",
					failure);
		}
		if (SqlErrors.isUnusable(failure)) {
			return new LeaderSchemaException(
					"The table %s cannot be guarded: %s".formatted(table, failure.getMessage()),
					"Correct leader.fence.guarded-tables: names of tables as SQL knows them, maybe with a schema.",
					failure);
		}
		throw failure;
	}

}
