package io.leaderstarter.backend.jdbc;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

import io.leaderstarter.jdbc.JdbcSession;

import org.springframework.jdbc.core.ArgumentPreparedStatementSetter;
import org.springframework.jdbc.core.RowCallbackHandler;

/**
 * Runs statements with parameters.
 */
final class Statements {

	private Statements() {
	}

	/**
	 * Run a statement that writes.
	 * @return the number of rows
	 */
	static int update(JdbcSession session, String sql, Object... parameters) throws SQLException {
		try (PreparedStatement statement = session.prepare(sql)) {
			bind(statement, parameters);
			return statement.executeUpdate();
		}
	}

	/** Run a statement that returns rows. */
	static void query(JdbcSession session, String sql, RowCallbackHandler rows, Object... parameters)
			throws SQLException {
		try (PreparedStatement statement = session.prepare(sql)) {
			bind(statement, parameters);
			try (ResultSet result = statement.executeQuery()) {
				while (result.next()) {
					rows.processRow(result);
				}
			}
		}
	}

	static void bind(PreparedStatement statement, Object... parameters) throws SQLException {
		new ArgumentPreparedStatementSetter(parameters).setValues(statement);
	}

}
