package io.leaderstarter.fencing;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

import javax.sql.DataSource;

import io.leaderstarter.ActiveTerm;
import io.leaderstarter.Leadership;
import io.leaderstarter.jdbc.DedicatedConnection;
import io.leaderstarter.jdbc.JdbcDialect;
import io.leaderstarter.jdbc.JdbcSession;
import io.leaderstarter.jdbc.LeaderTable;
import io.leaderstarter.jdbc.SqlError;

/**
 * The last runs of methods that run at most every so often, in the database whose fence
 * decides which term may write. The table is created only if there are such methods.
 * <p>
 * They are written on a second dedicated connection: a raise waits for transactions on
 * that of the fence, and must not delay runs of other roles.
 */
final class LastRunTable {

	private static final Duration PREPARE_TIMEOUT = Duration.ofSeconds(10);

	private static final List<String> COLUMNS = List.of("namespace", "role", "task", "epoch", "begun_at_us");

	/**
	 * The length of the column. Of a longer name the end is kept, as it differs more than
	 * the beginning.
	 */
	private static final int LONGEST_TASK = 255;

	private final Fence fence;

	private final FenceSettings settings;

	private final LeaderTable table;

	private final DedicatedConnection connection;

	private volatile boolean kept;

	private volatile boolean prepared;

	/**
	 * Create a new table.
	 * @param fence the fence that terms are checked by
	 * @param dedicated where the dedicated connection comes from
	 * @param settings how fences are kept
	 */
	LastRunTable(Fence fence, DataSource dedicated, FenceSettings settings) {
		this.fence = fence;
		this.settings = settings;
		this.table = new LeaderTable("last_run", settings.schema().tablePrefix(), COLUMNS);
		this.connection = new DedicatedConnection(dedicated);
	}

	/** Keep last runs from now on. */
	void keep() {
		this.kept = true;
	}

	/**
	 * Make sure that the table exists and can be used, if it is needed.
	 * @param shared an open connection, as followers need no second one
	 * @param dialect the dialect of the database
	 */
	void prepareIfKept(DedicatedConnection shared, JdbcDialect dialect) {
		if (this.kept) {
			try {
				prepare(shared, dialect);
			}
			catch (SQLException ex) {
				throw FenceException.unusable("Last runs cannot be recorded in '%s'", this.fence.name(), dialect, ex);
			}
		}
	}

	private void prepare(DedicatedConnection open, JdbcDialect dialect) throws SQLException {
		if (!this.prepared) {
			this.prepared = open.execute(PREPARE_TIMEOUT, (session) -> {
				this.table.require(session.connection(), dialect, this.settings.schema().initialize());
				this.table.requireRights(session.connection(), List.of("insert", "update"));
				return true;
			});
		}
	}

	/**
	 * Record that a run begins, unless the last one began less than a period ago.
	 * @param task the method, unique within the role
	 * @return whether it may begin
	 */
	boolean begin(ActiveTerm term, String task, Duration period) {
		JdbcDialect dialect = this.fence.preparedDialect();
		// The check refuses a stale term, and keeps a later term from beginning until the
		// run is committed.
		DedicatedConnection.Work<Boolean> begin = (session) -> session.inTransaction((transaction) -> {
			this.fence.check().check(transaction.connection(), term);
			return begin(transaction, dialect, term.leadership(), task, period);
		});
		try {
			return begin(dialect, begin);
		}
		catch (SQLException ex) {
			throw new FenceException("The last run of '%s' cannot be read from '%s': %s".formatted(task,
					this.fence.name(), ex.getMessage()), ex);
		}
	}

	private synchronized boolean begin(JdbcDialect dialect, DedicatedConnection.Work<Boolean> begin)
			throws SQLException {
		prepare(this.connection, dialect);
		try {
			return this.connection.execute(this.settings.raiseTimeout(), begin);
		}
		catch (SQLException ex) {
			// First runs of two roles can run into a deadlock in MySQL and MariaDB.
			if (!SqlError.CONFLICT.is(ex)) {
				throw ex;
			}
			return this.connection.execute(this.settings.raiseTimeout(), begin);
		}
	}

	private boolean begin(JdbcSession session, JdbcDialect dialect, Leadership term, String task, Duration period)
			throws SQLException {
		String table = this.table.qualifiedName();
		String namespace = this.settings.namespace();
		String name = (task.length() <= LONGEST_TASK) ? task : task.substring(task.length() - LONGEST_TASK);
		String now = dialect.nowMicros();
		// A last run in the future was recorded before the clock was set back.
		int updated = session.update(
				"update %s set epoch = ?, begun_at_us = %s where namespace = ? and role = ? and task = ? and (begun_at_us <= %s - ? or begun_at_us > %s)"
					.formatted(table, now, now, now),
				term.epoch(), namespace, term.role(), name, period.toNanos() / 1000);
		if (updated == 1) {
			return true;
		}
		// No other member inserts it meanwhile, as the fence excludes other terms.
		return session
			.query("select epoch from %s where namespace = ? and role = ? and task = ?".formatted(table),
					(row, index) -> row.getLong(1), namespace, term.role(), name)
			.isEmpty()
				&& session.update("insert into %s (namespace, role, task, epoch, begun_at_us) values (?, ?, ?, ?, %s)"
					.formatted(table, now), namespace, term.role(), name, term.epoch()) == 1;
	}

	/** Close the connection until it is needed again. */
	synchronized void disconnect() {
		this.connection.disconnect();
	}

	synchronized void close() {
		this.connection.close();
	}

}
