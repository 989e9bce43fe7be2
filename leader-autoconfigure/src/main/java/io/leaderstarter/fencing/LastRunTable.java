package io.leaderstarter.fencing;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
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
import io.leaderstarter.jdbc.SqlErrors;

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
	 * @return whether it may begin
	 */
	boolean begin(ActiveTerm term, String task, Duration period) {
		JdbcDialect dialect = this.fence.preparedDialect();
		try {
			return begin(dialect, term, new Run(term.leadership(), task, period));
		}
		catch (SQLException ex) {
			throw new FenceException("The last run of '%s' cannot be read from '%s': %s".formatted(task,
					this.fence.name(), ex.getMessage()), ex);
		}
	}

	private synchronized boolean begin(JdbcDialect dialect, ActiveTerm term, Run run) throws SQLException {
		prepare(this.connection, dialect);
		try {
			return tryBegin(dialect, term, run);
		}
		catch (SQLException ex) {
			// First runs of two roles can run into a deadlock in MySQL and MariaDB.
			if (!SqlErrors.isConflict(ex)) {
				throw ex;
			}
			return tryBegin(dialect, term, run);
		}
	}

	/**
	 * The check refuses a stale term, and keeps a later term from beginning until the run
	 * is committed.
	 */
	private boolean tryBegin(JdbcDialect dialect, ActiveTerm term, Run run) throws SQLException {
		return this.connection.execute(this.settings.raiseTimeout(),
				(session) -> session.inTransaction((transaction) -> {
					this.fence.check(transaction.connection(), term);
					return update(transaction, dialect, run)
							|| (!isKnown(transaction, run) && insert(transaction, dialect, run));
				}));
	}

	/** A last run in the future was recorded before the clock was set back. */
	private boolean update(JdbcSession session, JdbcDialect dialect, Run run) throws SQLException {
		String now = dialect.nowMicros();
		try (PreparedStatement statement = session.prepare(
				"update %s set epoch = ?, begun_at_us = %s where namespace = ? and role = ? and task = ? and (begun_at_us <= %s - ? or begun_at_us > %s)"
					.formatted(this.table.qualifiedName(), now, now, now))) {
			statement.setLong(1, run.term().epoch());
			setKey(statement, 2, run);
			statement.setLong(5, run.period().toNanos() / 1000);
			return statement.executeUpdate() == 1;
		}
	}

	private boolean isKnown(JdbcSession session, Run run) throws SQLException {
		try (PreparedStatement statement = session
			.prepare("select epoch from %s where namespace = ? and role = ? and task = ?"
				.formatted(this.table.qualifiedName()))) {
			setKey(statement, 1, run);
			try (ResultSet result = statement.executeQuery()) {
				return result.next();
			}
		}
	}

	/** No other member inserts it meanwhile, as the fence excludes other terms. */
	private boolean insert(JdbcSession session, JdbcDialect dialect, Run run) throws SQLException {
		try (PreparedStatement statement = session
			.prepare("insert into %s (namespace, role, task, epoch, begun_at_us) values (?, ?, ?, ?, %s)"
				.formatted(this.table.qualifiedName(), dialect.nowMicros()))) {
			setKey(statement, 1, run);
			statement.setLong(4, run.term().epoch());
			return statement.executeUpdate() == 1;
		}
	}

	private void setKey(PreparedStatement statement, int index, Run run) throws SQLException {
		String task = run.task();
		statement.setString(index, this.settings.namespace());
		statement.setString(index + 1, run.term().role());
		statement.setString(index + 2,
				(task.length() <= LONGEST_TASK) ? task : task.substring(task.length() - LONGEST_TASK));
	}

	/** Close the connection until it is needed again. */
	synchronized void disconnect() {
		this.connection.disconnect();
	}

	synchronized void close() {
		this.connection.close();
	}

	/**
	 * A run that is to begin.
	 *
	 * @param term the term that it would run under
	 * @param task the method, unique within the role
	 * @param period how long ago the last run must have begun
	 */
	private record Run(Leadership term, String task, Duration period) {
	}

}
