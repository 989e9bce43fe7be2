package io.leaderstarter.fencing;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

import io.leaderstarter.jdbc.JdbcSession;
import io.leaderstarter.ActiveTerm;
import io.leaderstarter.jdbc.JdbcDialects;
import io.leaderstarter.Leadership;
import io.leaderstarter.jdbc.JdbcDialect;
import org.jspecify.annotations.Nullable;

/**
 * The statements on the fence table, and those that set the variables of a fenced
 * transaction.
 */
final class FenceSql {

	static final List<String> COLUMNS = List.of("namespace", "role", "epoch", "term_id", "store_id", "raised_at_us");

	private final String table;

	private final JdbcDialect dialect;

	private final FenceSettings settings;

	/**
	 * The statement of a check, rendered once, as every transaction needs it. It reads
	 * the row under a lock that a raise has to wait for, or it writes the row, which
	 * conflicts with a raise wherever writes do. Both last until the transaction ends;
	 * without, a raise could come between the check and the commit. Parameters:
	 * namespace, role, and for a write epoch and term id.
	 */
	private final String check;

	private final boolean checkedByWrite;

	FenceSql(String table, JdbcDialect dialect, FenceSettings settings) {
		this.table = table;
		this.dialect = dialect;
		this.settings = settings;
		this.checkedByWrite = settings.checksByWrite(dialect);
		String limit = dialect.limitIdleTransaction(settings.transactions().idleTimeout());
		// The row has to change: databases skip updates that write the same values, and a
		// skipped update does not conflict with one on another node of a cluster.
		this.check = this.checkedByWrite
				? "update %s set raised_at_us = raised_at_us + 1 where namespace = ? and role = ? and epoch = ? and term_id = ?%s"
					.formatted(table, (limit != null) ? " returning " + limit : "")
				: "select epoch, term_id%s from %s where namespace = ? and role = ? %s"
					.formatted((limit != null) ? ", " + limit : "", table, dialect.sharedLock());
	}

	String table() {
		return this.table;
	}

	JdbcDialect dialect() {
		return this.dialect;
	}

	/**
	 * Return whether a transaction on this connection cannot have written anything,
	 * because the database itself sees to that.
	 */
	boolean isReadOnly(Connection transaction) throws SQLException {
		String query = this.dialect.readOnlyTransactionQuery();
		return query != null && transaction.isReadOnly() && JdbcDialects.isTrue(transaction, query);
	}

	/**
	 * Return the statement for the beginning of a transaction. It sets how long the
	 * transaction may be idle, and which terms it carries for triggers.
	 * @param terms the terms of the transaction, in the order of their checks
	 * @return SQL without parameters, {@code null} if there is nothing to set
	 */
	@Nullable String begin(Collection<ActiveTerm> terms) {
		FenceSettings.Transactions transactions = this.settings.transactions();
		String carried = transactions.termsCarried() ? render(this.settings.namespace(), terms) : null;
		Duration idle = transactions.idleFromBegin() ? transactions.idleTimeout() : null;
		return (terms.isEmpty() || (carried == null && idle == null)) ? null : this.dialect.setVariables(carried, idle);
	}

	/**
	 * Return the statement for the end of a transaction, so that the next one on the
	 * connection inherits nothing.
	 * @return SQL, {@code null} if there is nothing to reset
	 */
	@Nullable String end() {
		return this.settings.transactions().areOpened() ? this.dialect.resetVariables() : null;
	}

	/**
	 * Render terms for the triggers of guarded tables: a line for each, in the given
	 * order, with tabs between its epoch, term id, namespace and role.
	 */
	static String render(String namespace, Collection<ActiveTerm> terms) {
		return terms.stream()
			.map(ActiveTerm::leadership)
			.map((leadership) -> line(namespace, leadership))
			.collect(Collectors.joining("\n"));
	}

	private static String line(String namespace, Leadership leadership) {
		List<String> parts = List.of(Long.toString(leadership.epoch()), leadership.termId(), namespace,
				leadership.role());
		if (parts.stream().anyMatch((part) -> part.chars().anyMatch(Character::isISOControl))) {
			// The text could be read as more terms than there are.
			throw new IllegalArgumentException("Neither a namespace nor a role may contain control characters");
		}
		return String.join("\t", parts);
	}

	/** Parameters: namespace, roles. */
	String read(int roles) {
		return "select role, epoch, term_id, store_id from %s where namespace = ? and role in %s".formatted(this.table,
				JdbcSession.placeholders(roles));
	}

	/** Parameters: namespace, role, store id. */
	String seed() {
		return "insert into %s (namespace, role, epoch, term_id, store_id, raised_at_us) values (?, ?, 0, '', ?, 0)"
			.formatted(this.table);
	}

	/**
	 * Only ever raises. A late raise of an earlier leader changes nothing. Parameters:
	 * epoch, term id, namespace, role, epoch, store id.
	 */
	String raise() {
		return "update %s set epoch = ?, term_id = ?, raised_at_us = %s where namespace = ? and role = ? and epoch < ? and store_id = ?"
			.formatted(this.table, this.dialect.nowMicros());
	}

	/**
	 * Let a fence belong to another store. Parameters: store id, namespace, role, epoch,
	 * store id before.
	 */
	String adopt() {
		return "update %s set store_id = ? where namespace = ? and role = ? and epoch = ? and store_id = ?"
			.formatted(this.table);
	}

	/**
	 * Fail in the server unless a fence was raised last for a term, under the same lock
	 * as a check; {@code null} if the database has no such statement, or terms are
	 * checked by a write.
	 */
	@Nullable String demand(String namespace, Leadership leadership) {
		return this.checkedByWrite ? null : this.dialect.demand(this.table, namespace, leadership, refusal(leadership));
	}

	/** Return what the failure of a demand has in its message. */
	static String refusal(Leadership leadership) {
		return "leader_fence refuses epoch %d, term id %s".formatted(leadership.epoch(), leadership.termId());
	}

	/**
	 * Check a term on the connection of a transaction.
	 * @return why it is refused, {@code null} if it is not
	 */
	@Nullable String objection(Connection transaction, String namespace, Leadership leadership) throws SQLException {
		try (PreparedStatement statement = transaction.prepareStatement(this.check)) {
			statement.setString(1, namespace);
			statement.setString(2, leadership.role());
			return this.checkedByWrite ? write(statement, leadership) : read(statement, leadership);
		}
	}

	private static @Nullable String read(PreparedStatement statement, Leadership leadership) throws SQLException {
		try (ResultSet result = statement.executeQuery()) {
			if (!result.next()) {
				return "it has no row of this role";
			}
			long epoch = result.getLong(1);
			boolean same = epoch == leadership.epoch() && leadership.termId().equals(result.getString(2));
			return same ? null : "epoch %d leads there".formatted(epoch);
		}
	}

	private static @Nullable String write(PreparedStatement statement, Leadership leadership) throws SQLException {
		statement.setLong(3, leadership.epoch());
		statement.setString(4, leadership.termId());
		boolean passed;
		if (statement.execute()) {
			try (ResultSet returned = statement.getResultSet()) {
				passed = returned.next();
			}
		}
		else {
			passed = statement.getUpdateCount() == 1;
		}
		return passed ? null : "another term leads there";
	}

}
