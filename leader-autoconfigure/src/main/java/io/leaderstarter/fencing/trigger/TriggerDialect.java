package io.leaderstarter.fencing.trigger;

import java.sql.Connection;
import java.sql.SQLException;

import io.leaderstarter.jdbc.JdbcDialects;

/**
 * The triggers of one database.
 */
interface TriggerDialect {

	boolean exists(Connection connection, String table) throws SQLException;

	default void install(Connection connection, String table) throws SQLException {
		JdbcDialects.execute(connection, installScript(table));
	}

	default void uninstall(Connection connection, String table) throws SQLException {
		JdbcDialects.execute(connection, uninstallScript(table));
	}

	String installScript(String table);

	String uninstallScript(String table);

}
