package io.leaderstarter.fencing;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.leaderstarter.Leadership;
import io.leaderstarter.jdbc.DedicatedConnection;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a fence table, on a connection of our own. Every statement runs alone.
 */
final class FenceRows {

	private static final Log logger = LogFactory.getLog(FenceRows.class);

	private final DedicatedConnection connection;

	private final FenceSettings settings;

	private final FenceSql sql;

	private final @Nullable String lockHoldersQuery;

	FenceRows(DedicatedConnection connection, FenceSettings settings, FenceSql sql, @Nullable String lockHoldersQuery) {
		this.connection = connection;
		this.settings = settings;
		this.sql = sql;
		this.lockHoldersQuery = lockHoldersQuery;
	}

	Map<String, FenceRow> read(Collection<String> roles) throws SQLException {
		return this.connection.execute(this.settings.raiseTimeout(), (session) -> {
			Map<String, FenceRow> rows = new HashMap<>();
			try (PreparedStatement statement = session.prepare(this.sql.read(roles.size()))) {
				statement.setString(1, this.settings.namespace());
				int index = 2;
				for (String role : roles) {
					statement.setString(index++, role);
				}
				try (ResultSet result = statement.executeQuery()) {
					while (result.next()) {
						FenceRow row = new FenceRow(result.getString("role"), result.getLong("epoch"),
								result.getString("tenure"), result.getString("authority"));
						rows.put(row.role(), row);
					}
				}
			}
			return rows;
		});
	}

	/**
	 * Raises a row.
	 * @return whether it was there, lower and of this authority
	 */
	boolean raise(Leadership leadership, String authority) throws SQLException {
		return this.connection.execute(this.settings.raiseTimeout(), (session) -> {
			try (PreparedStatement statement = session.prepare(this.sql.raise())) {
				statement.setLong(1, leadership.epoch());
				statement.setString(2, leadership.tenure());
				statement.setString(3, this.settings.namespace());
				statement.setString(4, leadership.role());
				statement.setLong(5, leadership.epoch());
				statement.setString(6, authority);
				return statement.executeUpdate() == 1;
			}
		});
	}

	/**
	 * Raises the fence of a role that cannot be, so nothing comes of it. The first time
	 * takes longer, and a term should not have to wait for that. What fails here and goes
	 * on failing is told when it counts.
	 */
	void rehearse() {
		try {
			raise(new Leadership("", 0, "", "", Instant.EPOCH), "");
		}
		catch (SQLException ex) {
			logger.debug("The rehearsal of a term failed", ex);
		}
	}

	/**
	 * Makes the row of a role that has none.
	 */
	void seed(String role, String authority) throws SQLException {
		try {
			this.connection.execute(this.settings.raiseTimeout(), (session) -> {
				try (PreparedStatement statement = session.prepare(this.sql.seed())) {
					statement.setString(1, this.settings.namespace());
					statement.setString(2, role);
					statement.setString(3, authority);
					return statement.executeUpdate();
				}
			});
		}
		catch (SQLException ex) {
			if (ex.getSQLState() == null || !ex.getSQLState().startsWith("23")) {
				throw ex;
			}
			// Another member was quicker; the row is there.
		}
	}

	/**
	 * Returns which sessions may hold a raise up, empty if the database cannot tell.
	 */
	List<String> lockHolders() throws SQLException {
		String query = this.lockHoldersQuery;
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
