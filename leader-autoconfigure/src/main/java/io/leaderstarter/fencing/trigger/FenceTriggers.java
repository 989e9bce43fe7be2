package io.leaderstarter.fencing.trigger;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

import io.leaderstarter.election.spi.Documentation;
import io.leaderstarter.jdbc.JdbcDialect;
import io.leaderstarter.jdbc.LeaderSchemaException;
import io.leaderstarter.jdbc.LeaderTable;
import io.leaderstarter.jdbc.SqlError;

/**
 * Triggers by which the database refuses writes to a table without an epoch, or with a
 * stale one, from any client. PostgreSQL, MySQL and MariaDB are supported.
 * <p>
 * Names of tables are written as in SQL, with quotes where SQL needs them and maybe with
 * a schema. They cannot inject other SQL.
 *
 * @since 0.1.0
 */
public final class FenceTriggers {

	/** SQL state of a write without an epoch. */
	public static final String NO_EPOCH = "LF001";

	/** SQL state of a write with another epoch than that of the leader. */
	public static final String STALE_EPOCH = "LF002";

	private final TriggerDialect triggers;

	/**
	 * Create the triggers of a database.
	 * @param dialect the dialect of the database
	 * @param tablePrefix the prefix of the fence table's name, maybe with a schema
	 * @throws IllegalArgumentException if there are no triggers for such a database
	 */
	public FenceTriggers(JdbcDialect dialect, String tablePrefix) {
		String table = new LeaderTable("fence", tablePrefix, List.of()).qualifiedName();
		this.triggers = switch (dialect.platform()) {
			case "postgresql" -> new PostgreSqlTriggers(table);
			case "mysql", "mariadb" -> new MySqlTriggers(table);
			default -> throw new IllegalArgumentException(
					"Only PostgreSQL, MySQL and MariaDB can guard tables, and this is '%s'"
						.formatted(dialect.platform()));
		};
	}

	/**
	 * Return whether the database has a table that the user of this connection may see.
	 * @param connection a connection
	 * @param table the table
	 * @return whether it exists
	 * @throws SQLException if the database fails
	 * @throws LeaderSchemaException if the name is not valid
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
	 * Guard a table. Existing triggers are not changed, and then the table is not locked.
	 * Any number of members may call this at a time.
	 * @param connection a connection in autocommit mode
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
	 * Remove the triggers of a table. The routine that they call is kept, as other tables
	 * may need it.
	 * @param connection a connection in autocommit mode
	 * @param table the table
	 * @throws SQLException if the database fails
	 */
	public void uninstall(Connection connection, String table) throws SQLException {
		this.triggers.uninstall(connection, table);
	}

	/**
	 * Return what {@link #install} does as a script for a migration. On PostgreSQL it is
	 * one statement, which can be run again. On MySQL and MariaDB it is for a tool that
	 * knows {@code delimiter}, such as Flyway or the command line client, and is run
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
		if (SqlError.FORBIDDEN.is(failure)) {
			return new LeaderSchemaException(
					"The table %s cannot be guarded by this user: %s".formatted(table, failure.getMessage()),
					"Let a migration guard it, with what FenceTriggers.installScript() returns, and set leader.schema.initialize=never; see "
							+ Documentation.GUARDED_TABLES,
					failure);
		}
		if (SqlError.UNUSABLE.is(failure)) {
			return new LeaderSchemaException(
					"The table %s cannot be guarded: %s".formatted(table, failure.getMessage()),
					"Correct leader.fence.guarded-tables: names of tables as SQL knows them, maybe with a schema.",
					failure);
		}
		throw failure;
	}

}
