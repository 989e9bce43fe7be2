package io.leaderstarter.fencing;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

import io.leaderstarter.jdbc.JdbcDialect;
import io.leaderstarter.jdbc.JdbcSession;
import io.leaderstarter.jdbc.LeaderTable;

/**
 * Assigns a fence to another store and records who decided that and why, in one
 * transaction.
 */
final class FenceAudit {

	private static final List<String> COLUMNS = List.of("namespace", "role", "epoch", "store_id_before",
			"store_id_after", "adopted_by", "reason", "adopted_at_us");

	private final FenceSettings settings;

	private final LeaderTable table;

	FenceAudit(FenceSettings settings) {
		this.settings = settings;
		this.table = new LeaderTable("fence_audit", settings.schema().tablePrefix(), COLUMNS);
	}

	/**
	 * Make sure that the table exists.
	 */
	boolean prepare(JdbcSession session, JdbcDialect dialect) throws SQLException {
		this.table.require(session.connection(), dialect, this.settings.schema().initialize());
		return true;
	}

	/**
	 * Change the fence if it is as the adoption expects.
	 * @return whether it was
	 */
	boolean adopt(JdbcSession session, JdbcDialect dialect, FenceSql sql, FenceAdoption adoption) throws SQLException {
		return session.inTransaction((transaction) -> {
			boolean adopted = change(transaction, sql, adoption);
			if (adopted) {
				record(transaction, dialect, adoption);
			}
			return adopted;
		});
	}

	private boolean change(JdbcSession session, FenceSql sql, FenceAdoption adoption) throws SQLException {
		try (PreparedStatement statement = session.prepare(sql.adopt())) {
			statement.setString(1, adoption.to());
			statement.setString(2, this.settings.namespace());
			statement.setString(3, adoption.role());
			statement.setLong(4, adoption.epoch());
			statement.setString(5, adoption.from());
			return statement.executeUpdate() == 1;
		}
	}

	private void record(JdbcSession session, JdbcDialect dialect, FenceAdoption adoption) throws SQLException {
		try (PreparedStatement statement = session.prepare("insert into %s (%s) values (?, ?, ?, ?, ?, ?, ?, %s)"
			.formatted(this.table.qualifiedName(), String.join(", ", COLUMNS), dialect.nowMicros()))) {
			statement.setString(1, this.settings.namespace());
			statement.setString(2, adoption.role());
			statement.setLong(3, adoption.epoch());
			statement.setString(4, adoption.from());
			statement.setString(5, adoption.to());
			statement.setString(6, adoption.by());
			statement.setString(7, adoption.reason());
			statement.executeUpdate();
		}
	}

}
