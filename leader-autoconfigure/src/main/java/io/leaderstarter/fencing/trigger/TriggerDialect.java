package io.leaderstarter.fencing.trigger;

import org.springframework.core.io.ClassPathResource;
import java.sql.Statement;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * The triggers of one database.
 */
interface TriggerDialect {

	boolean exists(Connection connection, String table) throws SQLException;

	default void install(Connection connection, String table) throws SQLException {
		run(connection, installScript(table));
	}

	default void uninstall(Connection connection, String table) throws SQLException {
		run(connection, uninstallScript(table));
	}

	String installScript(String table);

	String uninstallScript(String table);

	static void run(Connection connection, String sql) throws SQLException {
		try (Statement statement = connection.createStatement()) {
			statement.execute(sql);
		}
	}

	/**
	 * Read a script that is next to this class.
	 */
	static String read(String name) {
		try {
			return new ClassPathResource(name, TriggerDialect.class).getContentAsString(StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
