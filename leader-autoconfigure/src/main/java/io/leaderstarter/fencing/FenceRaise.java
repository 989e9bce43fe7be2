package io.leaderstarter.fencing;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

import io.leaderstarter.Leadership;
import io.leaderstarter.election.spi.Documentation;
import io.leaderstarter.jdbc.JdbcDialect;
import io.leaderstarter.jdbc.LeaderSchemaException;
import io.leaderstarter.jdbc.SqlErrors;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Raises a fence for a term, and explains why if that cannot be done.
 */
final class FenceRaise {

	private static final Log logger = LogFactory.getLog(FenceRaise.class);

	private final String name;

	private final FenceRows rows;

	FenceRaise(String name, FenceRows rows) {
		this.name = name;
		this.rows = rows;
	}

	void raise(Leadership leadership, String storeId) {
		try {
			if (this.rows.raise(leadership, storeId)) {
				return;
			}
			FenceRow row = this.rows.read(List.of(leadership.role())).get(leadership.role());
			if (row == null) {
				this.rows.seed(leadership.role(), storeId);
				if (this.rows.raise(leadership, storeId)) {
					return;
				}
				row = this.rows.read(List.of(leadership.role())).get(leadership.role());
			}
			if (row == null || !row.isRaisedFor(leadership)) {
				throw new EpochRegressionException(explain(leadership, storeId, row));
			}
		}
		catch (SQLException ex) {
			throw failed(leadership, ex);
		}
	}

	/**
	 * Verify that the database supports what raises and checks need.
	 * @param timeout how long that may take
	 * @param dialect the dialect of the database
	 * @param table the table of the fence
	 * @throws LeaderSchemaException if it cannot
	 * @throws SQLException if the database fails
	 */
	void rehearse(Duration timeout, JdbcDialect dialect, String table) throws SQLException {
		try {
			this.rows.rehearse(timeout);
		}
		catch (SQLException ex) {
			if (SqlErrors.isLockTimeout(ex)) {
				// The database is only busy.
				logger.debug("The rehearsal of a raise had to wait for too long", ex);
				return;
			}
			if (SqlErrors.isConnectionLost(ex) || !(dialect.isAssumed() || SqlErrors.isUnusable(ex))) {
				throw ex;
			}
			throw new LeaderSchemaException(
					"The fence in '%s' cannot be used, as the database cannot raise or check it (platform '%s'): %s"
						.formatted(this.name, dialect.platform(), ex.getMessage()),
					advice(ex, dialect, table), ex);
		}
	}

	private static String advice(SQLException refusal, JdbcDialect dialect, String table) {
		String grant = "Grant this application's user select, insert and update on %s.".formatted(table);
		return dialect.isAssumed() ? (grant + " If the database is no '%s', set leader.schema.platform. If it does not "
				+ "understand this, keep what is to be fenced in PostgreSQL, MySQL, MariaDB or H2, or leave the database out by "
				+ "leader.fence.data-sources.")
			.formatted(dialect.platform()) : grant;
	}

	private FenceException failed(Leadership leadership, SQLException ex) {
		String message = "The fence in '%s' cannot be raised for %s: %s".formatted(this.name, leadership,
				ex.getMessage());
		if (!SqlErrors.isLockTimeout(ex)) {
			return new FenceException(message, ex);
		}
		try {
			List<String> sessions = this.rows.lockHolders();
			return new FenceBlockedException("%s. %s".formatted(message,
					sessions.isEmpty() ? "If a transaction holds it up, end that transaction"
							: "Held up by " + String.join(", ", sessions)),
					ex, sessions);
		}
		catch (SQLException unknown) {
			return new FenceBlockedException(
					"%s. If a transaction holds it up, end that transaction. Which one it is could not be found out: %s"
						.formatted(message, unknown.getMessage()),
					ex, List.of());
		}
	}

	private String explain(Leadership leadership, String storeId, @Nullable FenceRow row) {
		if (row == null) {
			return "The fence in '%s' lost its row for '%s' while it was raised".formatted(this.name,
					leadership.role());
		}
		if (!row.isOf(storeId)) {
			return row.foreign(this.name, storeId);
		}
		return "The fence in '%s' has seen epoch %d of '%s', and this member was granted %d by the store. If this member was paused, a later leader has taken over, and nothing has to be done. Otherwise the store lost data, as after a restored backup: see %s"
			.formatted(this.name, row.epoch(), leadership.role(), leadership.epoch(),
					Documentation.EPOCHS_THAT_GO_BACK);
	}

}
