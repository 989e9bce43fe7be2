package io.leaderstarter.backend.jdbc;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import io.leaderstarter.jdbc.JdbcSession;

import org.springframework.jdbc.core.ArgumentPreparedStatementSetter;
import org.springframework.jdbc.core.RowMapper;

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
	static <T> List<T> query(JdbcSession session, String sql, RowMapper<T> mapper, Object... parameters)
			throws SQLException {
		try (PreparedStatement statement = session.prepare(sql)) {
			bind(statement, parameters);
			return read(statement, mapper);
		}
	}

	static <T> List<T> read(PreparedStatement statement, RowMapper<T> mapper) throws SQLException {
		List<T> found = new ArrayList<>();
		try (ResultSet rows = statement.executeQuery()) {
			while (rows.next()) {
				found.add(mapper.mapRow(rows, found.size()));
			}
		}
		return found;
	}

	/** Return the placeholders of so many parameters, after {@code in}. */
	static String list(int size) {
		return "(" + String.join(", ", Collections.nCopies(size, "?")) + ")";
	}

	static void bind(PreparedStatement statement, Object... parameters) throws SQLException {
		new ArgumentPreparedStatementSetter(parameters).setValues(statement);
	}

}
