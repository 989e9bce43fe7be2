package io.leaderstarter.fencing;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;

import io.leaderstarter.Leadership;
import io.leaderstarter.election.spi.Documentation;
import io.leaderstarter.jdbc.DedicatedConnection;
import io.leaderstarter.jdbc.JdbcDialect;
import io.leaderstarter.jdbc.JdbcSession;
import io.leaderstarter.jdbc.LeaderSchemaException;
import io.leaderstarter.jdbc.LeaderTable;
import io.leaderstarter.jdbc.SqlError;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a fence table, on a dedicated connection in autocommit mode: reads them,
 * raises them for terms, explains why if that cannot be done, and assigns them to another
 * store.
 *
 * @param database the name of the database in messages
 * @param connection the dedicated connection
 * @param settings how fences are kept
 * @param sql the statements
 */
record FenceRows(String database, DedicatedConnection connection, FenceSettings settings, FenceSql sql) {

	private static final Log logger = LogFactory.getLog(FenceRows.class);

	private static final List<String> AUDIT_COLUMNS = List.of("namespace", "role", "epoch", "store_id_before",
			"store_id_after", "adopted_by", "reason", "adopted_at_us");

	/**
	 * Read the rows of a member with a local store. Rows of members that share a store
	 * replace them, if there are any.
	 */
	Map<String, FenceRow> readAll(Collection<String> roles) throws SQLException {
		Map<String, FenceRow> rows = read(this.settings.namespace(), roles);
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
		Object[] parameters = Stream.concat(Stream.of(namespace), roles.stream()).toArray();
		Map<String, FenceRow> rows = new HashMap<>();
		session
			.query(this.sql.read(roles.size()),
					(row, index) -> new FenceRow(row.getString("role"), row.getLong("epoch"), row.getString("term_id"),
							row.getString("store_id")),
					parameters)
			.forEach((row) -> rows.put(row.role(), row));
		return rows;
	}

	/**
	 * Raise the fence of a role for a term.
	 * @throws EpochRegressionException if it has seen a later term, or is of another
	 * store
	 * @throws FenceException if the database fails
	 */
	void raise(Leadership leadership, String storeId) {
		try {
			if (tryRaise(leadership, storeId)) {
				return;
			}
			FenceRow row = read(leadership);
			if (row == null) {
				seed(leadership.role(), storeId);
				if (tryRaise(leadership, storeId)) {
					return;
				}
				row = read(leadership);
			}
			if (row == null || !row.isRaisedFor(leadership)) {
				throw new EpochRegressionException(explain(leadership, storeId, row));
			}
		}
		catch (SQLException ex) {
			throw failed(leadership, ex);
		}
	}

	private @Nullable FenceRow read(Leadership leadership) throws SQLException {
		return read(this.settings.namespace(), List.of(leadership.role())).get(leadership.role());
	}

	/**
	 * Raise a row.
	 * @return whether there was a row of this store with a lower epoch
	 */
	private boolean tryRaise(Leadership leadership, String storeId) throws SQLException {
		// In the last quarter of a time-out the statement is cancelled, and a raise is to
		// wait for all of its time-out.
		return this.connection.execute(this.settings.raiseTimeout().multipliedBy(4).dividedBy(3),
				(session) -> raise(session, leadership, storeId) == 1);
	}

	private int raise(JdbcSession session, Leadership leadership, String storeId) throws SQLException {
		return session.update(this.sql.raise(), leadership.epoch(), leadership.termId(), this.settings.namespace(),
				leadership.role(), leadership.epoch(), storeId);
	}

	/**
	 * Insert the row of a role that has none.
	 */
	private void seed(String role, String storeId) throws SQLException {
		try {
			this.connection.execute(this.settings.raiseTimeout(), (session) -> seed(session, role, storeId));
		}
		catch (SQLException ex) {
			if (!SqlError.DUPLICATE_KEY.is(ex)) {
				throw ex;
			}
			// Another member has inserted the row.
		}
	}

	private int seed(JdbcSession session, String role, String storeId) throws SQLException {
		return session.update(this.sql.seed(), this.settings.namespace(), role, storeId);
	}

	/**
	 * Verify that the database supports what raises and checks need, so that one that
	 * does not is found when the application starts and not when it should lead, and no
	 * term waits for what takes longer the first time.
	 * @param timeout how long that may take
	 * @throws LeaderSchemaException if it cannot
	 * @throws SQLException if the database fails
	 */
	void rehearse(Duration timeout) throws SQLException {
		JdbcDialect dialect = this.sql.dialect();
		try {
			this.connection.execute(timeout, (session) -> session.inRolledBackTransaction(this::rehearse));
		}
		catch (SQLException ex) {
			if (SqlError.LOCK_TIMEOUT.is(ex)) {
				// The database is only busy.
				logger.debug("The rehearsal of a raise had to wait for too long", ex);
				return;
			}
			if (SqlError.CONNECTION_LOST.is(ex) || !(dialect.isAssumed() || SqlError.UNUSABLE.is(ex))) {
				throw ex;
			}
			String grant = "Grant this application's user select, insert and update on %s.".formatted(this.sql.table());
			throw new LeaderSchemaException(
					"The fence in '%s' cannot be used, as the database cannot raise or check it (platform '%s'): %s"
						.formatted(this.database, dialect.platform(), ex.getMessage()),
					dialect.isAssumed() ? grant + (" If the database is no '%s', set leader.schema.platform. If it "
							+ "does not understand this, keep what is to be fenced in PostgreSQL, MySQL, MariaDB or "
							+ "H2, or leave the database out by leader.fence.data-sources.")
						.formatted(dialect.platform()) : grant,
					ex);
		}
	}

	/**
	 * Seed, raise, read and check the fence of a role that cannot exist, in a transaction
	 * that is rolled back.
	 */
	private boolean rehearse(JdbcSession transaction) throws SQLException {
		// Members that start together must not wait for each other's row.
		String id = UUID.randomUUID().toString();
		Leadership leadership = new Leadership("?" + id, 1, id, "", Instant.EPOCH);
		seed(transaction, leadership.role(), "");
		int raised = raise(transaction, leadership, "");
		read(transaction, this.settings.namespace(), List.of(leadership.role()));
		String objection = this.sql.objection(transaction.connection(), this.settings.namespace(), leadership);
		if (raised != 1 || objection != null) {
			throw new SQLException("a raise of one row changed %d rows, and the check of it %s".formatted(raised,
					(objection != null) ? "failed, as " + objection : "passed"));
		}
		return true;
	}

	/**
	 * Assign a fence to another store and record who decided that and why, in one
	 * transaction.
	 * @param timeout how long each step may take
	 * @return whether the fence was as the adoption expects; nothing is changed otherwise
	 */
	boolean adopt(Duration timeout, FenceAdoption adoption) throws SQLException {
		String namespace = this.settings.namespace();
		LeaderTable audit = new LeaderTable("fence_audit", this.settings.schema().tablePrefix(), AUDIT_COLUMNS);
		this.connection.execute(timeout, (session) -> {
			audit.require(session.connection(), this.sql.dialect(), this.settings.schema().initialize());
			return true;
		});
		return this.connection.execute(timeout, (session) -> session.inTransaction((transaction) -> {
			boolean adopted = transaction.update(this.sql.adopt(), adoption.to(), namespace, adoption.role(),
					adoption.epoch(), adoption.from()) == 1;
			if (adopted) {
				transaction.update(
						"insert into %s (%s) values (?, ?, ?, ?, ?, ?, ?, %s)".formatted(audit.qualifiedName(),
								String.join(", ", AUDIT_COLUMNS), this.sql.dialect().nowMicros()),
						namespace, adoption.role(), adoption.epoch(), adoption.from(), adoption.to(), adoption.by(),
						adoption.reason());
			}
			return adopted;
		}));
	}

	private FenceException failed(Leadership leadership, SQLException ex) {
		String message = "The fence in '%s' cannot be raised for %s: %s".formatted(this.database, leadership,
				ex.getMessage());
		if (!SqlError.LOCK_TIMEOUT.is(ex)) {
			return new FenceException(message, ex);
		}
		try {
			List<String> sessions = lockHolders();
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

	/**
	 * Return descriptions of the sessions that may hold a raise up, empty if the database
	 * does not expose them.
	 */
	private List<String> lockHolders() throws SQLException {
		String query = this.sql.dialect().lockHoldersQuery(this.sql.table());
		return (query == null) ? List.of() : this.connection.execute(this.settings.raiseTimeout(),
				(session) -> session.query(query, (row, index) -> row.getString(1)));
	}

	private String explain(Leadership leadership, String storeId, @Nullable FenceRow row) {
		if (row == null) {
			return "The fence in '%s' lost its row for '%s' while it was raised".formatted(this.database,
					leadership.role());
		}
		if (!row.isOf(storeId)) {
			return row.foreign(this.database, storeId);
		}
		return "The fence in '%s' has seen epoch %d of '%s', and this member was granted %d by the store. If this member was paused, a later leader has taken over, and nothing has to be done. Otherwise the store lost data, as after a restored backup: see %s"
			.formatted(this.database, row.epoch(), leadership.role(), leadership.epoch(),
					Documentation.EPOCHS_THAT_GO_BACK);
	}

}
