package io.leaderstarter.fencing;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import io.leaderstarter.Leadership;
import io.leaderstarter.jdbc.DedicatedConnection;
import io.leaderstarter.jdbc.JdbcSession;
import io.leaderstarter.jdbc.SqlErrors;

/**
 * The rows of a fence table, on a dedicated connection in autocommit mode.
 */
final class FenceRows {

	private final DedicatedConnection connection;

	private final FenceSettings settings;

	private final FenceSql sql;

	FenceRows(DedicatedConnection connection, FenceSettings settings, FenceSql sql) {
		this.connection = connection;
		this.settings = settings;
		this.sql = sql;
	}

	Map<String, FenceRow> read(Collection<String> roles) throws SQLException {
		return read(this.settings.namespace(), roles);
	}

	/**
	 * Read the rows of a member with a local store. Rows of members that share a store
	 * replace them, if there are any.
	 */
	Map<String, FenceRow> readAll(Collection<String> roles) throws SQLException {
		Map<String, FenceRow> rows = read(roles);
		String shared = this.settings.sharedNamespace();
		if (shared != null) {
			rows.putAll(read(shared, roles));
		}
		return rows;
	}

	private Map<String, FenceRow> read(String namespace, Collection<String> roles) throws SQLException {
		return this.connection.execute(this.settings.raiseTimeout(), (session) -> read(session, namespace, roles));
	}

	private Map<String, FenceRow> read(JdbcSession session, String namespace, Collection<String> roles)
			throws SQLException {
		Map<String, FenceRow> rows = new HashMap<>();
		try (PreparedStatement statement = session.prepare(this.sql.read(roles.size()))) {
			statement.setString(1, namespace);
			int index = 2;
			for (String role : roles) {
				statement.setString(index++, role);
			}
			try (ResultSet result = statement.executeQuery()) {
				while (result.next()) {
					FenceRow row = new FenceRow(result.getString("role"), result.getLong("epoch"),
							result.getString("term_id"), result.getString("store_id"));
					rows.put(row.role(), row);
				}
			}
		}
		return rows;
	}

	/**
	 * Raise a row.
	 * @return whether there was a row of this store with a lower epoch
	 */
	boolean raise(Leadership leadership, String storeId) throws SQLException {
		// In the last quarter of a time-out the statement is cancelled, and a raise is to
		// wait for all of its time-out.
		return this.connection.execute(this.settings.raiseTimeout().multipliedBy(4).dividedBy(3),
				(session) -> raise(session, leadership, storeId) == 1);
	}

	private int raise(JdbcSession session, Leadership leadership, String storeId) throws SQLException {
		try (PreparedStatement statement = session.prepare(this.sql.raise())) {
			statement.setLong(1, leadership.epoch());
			statement.setString(2, leadership.termId());
			statement.setString(3, this.settings.namespace());
			statement.setString(4, leadership.role());
			statement.setLong(5, leadership.epoch());
			statement.setString(6, storeId);
			return statement.executeUpdate();
		}
	}

	/**
	 * Seed, raise, read and check the fence of a role that cannot exist, and roll all of
	 * it back. So a database that does not support one of these is found when the
	 * application starts and not when it should lead, and no term waits for what takes
	 * longer the first time.
	 */
	void rehearse(Duration timeout) throws SQLException {
		// Members that start together must not wait for each other's row.
		String id = UUID.randomUUID().toString();
		Leadership leadership = new Leadership("?" + id, 1, id, "", Instant.EPOCH);
		this.connection.execute(timeout, (session) -> session.inRolledBackTransaction((transaction) -> {
			seed(transaction, leadership.role(), "");
			int raised = raise(transaction, leadership, "");
			read(transaction, this.settings.namespace(), List.of(leadership.role()));
			String objection = this.sql.objection(transaction.connection(), this.settings.namespace(), leadership);
			if (raised != 1 || objection != null) {
				throw new SQLException("a raise of one row changed %d rows, and the check of it %s".formatted(raised,
						(objection != null) ? "failed, as " + objection : "passed"));
			}
			return true;
		}));
	}

	/**
	 * Insert the row of a role that has none.
	 */
	void seed(String role, String storeId) throws SQLException {
		try {
			this.connection.execute(this.settings.raiseTimeout(), (session) -> seed(session, role, storeId));
		}
		catch (SQLException ex) {
			if (!SqlErrors.isDuplicateKey(ex)) {
				throw ex;
			}
			// Another member has inserted the row.
		}
	}

	private int seed(JdbcSession session, String role, String storeId) throws SQLException {
		try (PreparedStatement statement = session.prepare(this.sql.seed())) {
			statement.setString(1, this.settings.namespace());
			statement.setString(2, role);
			statement.setString(3, storeId);
			return statement.executeUpdate();
		}
	}

	/**
	 * Return descriptions of the sessions that may hold a raise up, empty if the database
	 * does not expose them.
	 */
	List<String> lockHolders() throws SQLException {
		String query = this.sql.lockHolders();
		if (query == null) {
			return List.of();
		}
		return this.connection.execute(this.settings.raiseTimeout(), (session) -> {
			List<String> found = new ArrayList<>();
			try (PreparedStatement statement = session.prepare(query); ResultSet result = statement.executeQuery()) {
				while (result.next()) {
					found.add(result.getString(1));
				}
			}
			return found;
		});
	}

}
