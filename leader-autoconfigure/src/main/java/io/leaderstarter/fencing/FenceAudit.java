package io.leaderstarter.fencing;

import java.sql.SQLException;
import java.util.List;

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
	boolean prepare(JdbcSession session, FenceSql sql) throws SQLException {
		this.table.require(session.connection(), sql.dialect(), this.settings.schema().initialize());
		return true;
	}

	/**
	 * Change the fence if it is as the adoption expects.
	 * @return whether it was
	 */
	boolean adopt(JdbcSession session, FenceSql sql, FenceAdoption adoption) throws SQLException {
		String namespace = this.settings.namespace();
		return session.inTransaction((transaction) -> {
			boolean adopted = transaction.update(sql.adopt(), adoption.to(), namespace, adoption.role(),
					adoption.epoch(), adoption.from()) == 1;
			if (adopted) {
				transaction.update(
						"insert into %s (%s) values (?, ?, ?, ?, ?, ?, ?, %s)".formatted(this.table.qualifiedName(),
								String.join(", ", COLUMNS), sql.dialect().nowMicros()),
						namespace, adoption.role(), adoption.epoch(), adoption.from(), adoption.to(), adoption.by(),
						adoption.reason());
			}
			return adopted;
		});
	}

}
