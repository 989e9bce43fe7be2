package io.leaderstarter.fencing.trigger;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * The triggers of one database.
 */
interface TriggerDialect {

	boolean exists(Connection connection, String table) throws SQLException;

	void install(Connection connection, String table) throws SQLException;

	void uninstall(Connection connection, String table) throws SQLException;

	String installScript(String table);

	String uninstallScript(String table);

	/**
	 * Read a script that is next to this class.
	 */
	static String read(String name) {
		try (InputStream stream = TriggerDialect.class.getResourceAsStream(name)) {
			if (stream == null) {
				throw new IllegalStateException("There is no script " + name);
			}
			return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
