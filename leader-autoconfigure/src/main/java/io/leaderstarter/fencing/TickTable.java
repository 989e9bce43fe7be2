package io.leaderstarter.fencing;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

import io.leaderstarter.jdbc.JdbcDialect;
import io.leaderstarter.jdbc.JdbcSession;
import io.leaderstarter.jdbc.LeaderTable;

/**
 * Keeps when methods began last, in the database whose fence says which term may write
 * there.
 */
final class TickTable {

	private static final List<String> COLUMNS = List.of("namespace", "role", "task", "epoch", "begun_at_us");

	/** What the column holds. The end of a name tells more than its beginning. */
	private static final int LONGEST_TASK = 255;

	private final FenceSettings settings;

	private final LeaderTable table;

	TickTable(FenceSettings settings) {
		this.settings = settings;
		this.table = new LeaderTable("tick", settings.tablePrefix(), COLUMNS, "leader.fence");
	}

	/**
	 * Makes sure that the table is there and can be used.
	 */
	boolean prepare(JdbcSession session, JdbcDialect dialect) throws SQLException {
		this.table.require(session.connection(), dialect, this.settings.initializeSchema());
		this.table.requireRights(session.connection(), List.of("insert", "update"));
		return true;
	}

	/**
	 * Takes note that a task begins, unless it began too short a while ago.
	 * @param check refuses what is stale, and keeps a later term from beginning until the
	 * note is there for it to see
	 */
	boolean begin(JdbcSession session, JdbcDialect dialect, Tick tick, Check check) throws SQLException {
		return session.inTransaction((transaction) -> {
			check.run(transaction.connection());
			return renew(transaction, dialect, tick)
					|| (!isKnown(transaction, tick) && add(transaction, dialect, tick));
		});
	}

	/** A note from the future was made before the clock was set back. */
	private boolean renew(JdbcSession session, JdbcDialect dialect, Tick tick) throws SQLException {
		String now = dialect.nowMicros();
		try (PreparedStatement statement = session.prepare(
				"update %s set epoch = ?, begun_at_us = %s where namespace = ? and role = ? and task = ? and (begun_at_us <= %s - ? or begun_at_us > %s)"
					.formatted(this.table.qualifiedName(), now, now, now))) {
			statement.setLong(1, tick.epoch());
			setKey(statement, 2, tick);
			statement.setLong(5, tick.period().toNanos() / 1000);
			return statement.executeUpdate() == 1;
		}
	}

	private boolean isKnown(JdbcSession session, Tick tick) throws SQLException {
		try (PreparedStatement statement = session
			.prepare("select epoch from %s where namespace = ? and role = ? and task = ?"
				.formatted(this.table.qualifiedName()))) {
			setKey(statement, 1, tick);
			try (ResultSet result = statement.executeQuery()) {
				return result.next();
			}
		}
	}

	/** Nobody else adds it meanwhile, as the fence lets no other term in. */
	private boolean add(JdbcSession session, JdbcDialect dialect, Tick tick) throws SQLException {
		try (PreparedStatement statement = session
			.prepare("insert into %s (namespace, role, task, epoch, begun_at_us) values (?, ?, ?, ?, %s)"
				.formatted(this.table.qualifiedName(), dialect.nowMicros()))) {
			setKey(statement, 1, tick);
			statement.setLong(4, tick.epoch());
			return statement.executeUpdate() == 1;
		}
	}

	private void setKey(PreparedStatement statement, int index, Tick tick) throws SQLException {
		String task = tick.task();
		statement.setString(index, this.settings.namespace());
		statement.setString(index + 1, tick.role());
		statement.setString(index + 2,
				(task.length() <= LONGEST_TASK) ? task : task.substring(task.length() - LONGEST_TASK));
	}

	/**
	 * A task that wants to begin.
	 *
	 * @param role the role
	 * @param epoch the epoch of the term that it would run under
	 * @param task what tells it from others of the role
	 * @param period how long ago it must have begun last
	 */
	record Tick(String role, long epoch, String task, Duration period) {
	}

	/**
	 * Checks a term on a connection.
	 */
	@FunctionalInterface
	interface Check {

		void run(Connection connection) throws SQLException;

	}

}
