package io.leaderstarter.fencing;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedList;
import java.util.List;

import io.leaderstarter.ActiveTerm;
import io.leaderstarter.StaleLeaderException;
import io.leaderstarter.jdbc.SqlError;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Checks the terms of a transaction and commits it in one round trip. The transaction
 * manager then commits a transaction that has ended, for which the driver sends nothing.
 * <p>
 * This is done only if nothing can happen between the check and the commit: for a plain
 * {@link JdbcTransactionManager} whose last listener is that of the fence. A failure must
 * not be a {@code TransactionException}, as Spring would not roll back then, so other
 * managers, which translate each failed commit to one, are left out.
 *
 * @param check the check of terms
 * @param connection the connection of the transaction
 * @param manager the manager that is about to commit it
 */
record CheckedCommit(FenceCheck check, Connection connection, JdbcTransactionManager manager) {

	/**
	 * Return the checked commit of the transaction that a manager is about to commit.
	 * @param manager the manager
	 * @param listener the listener that asks
	 * @param bound the connection of the only fenced transaction
	 * @return the commit, {@code null} if the terms have to be checked first
	 */
	static @Nullable CheckedCommit of(ConfigurableTransactionManager manager, TransactionExecutionListener listener,
			FencedTransactions.Bound bound) {
		Connection connection = bound.connection();
		if (manager.getClass() != JdbcTransactionManager.class || connection instanceof CheckingConnection) {
			return null;
		}
		Deque<TransactionExecutionListener> listeners = new LinkedList<>(manager.getTransactionExecutionListeners());
		JdbcTransactionManager jdbcManager = (JdbcTransactionManager) manager;
		return (listeners.peekLast() == listener && jdbcManager.getDataSource() == bound.dataSource())
				? new CheckedCommit(bound.check(), connection, jdbcManager) : null;
	}

	/**
	 * Check and commit.
	 * @return whether that was done; if not, the connection or the database does not
	 * support it, and nothing was done
	 */
	boolean run(Collection<ActiveTerm> terms) {
		List<ActiveTerm> fenced = this.check.fenced(terms);
		try {
			List<String> demands = this.check.demands(this.connection, fenced);
			if (demands == null) {
				return false;
			}
			long begun = System.nanoTime();
			// Prepared, as it is the same for all transactions of a term.
			try (PreparedStatement statement = this.connection
				.prepareStatement(String.join(";", demands) + ";commit")) {
				statement.execute();
				requireAll(statement, demands.size());
			}
			finally {
				this.check.checked(FenceListener.Trip.COMMIT, begun);
			}
			return true;
		}
		catch (SQLException ex) {
			throw explain(fenced, ex);
		}
	}

	/** Each check returns a row, and the commit an update count. */
	private static void requireAll(Statement statement, int checks) throws SQLException {
		boolean complete = statement.getUpdateCount() < 0;
		for (int result = 1; result < checks; result++) {
			complete &= statement.getMoreResults();
		}
		complete &= !statement.getMoreResults() && statement.getUpdateCount() >= 0;
		if (!complete) {
			throw new SQLException("the server did not execute all of it", "42601");
		}
	}

	private RuntimeException explain(List<ActiveTerm> terms, SQLException failure) {
		StaleLeaderException refusal = this.check.refusal(failure, terms);
		if (refusal != null) {
			return refusal;
		}
		// Deferred constraints, conflicts of serializable transactions and lost
		// connections are failures of the commit.
		DataAccessException translated = isOfTheCheck(failure) ? null
				: this.manager.getExceptionTranslator().translate("JDBC commit", null, failure);
		return (translated != null) ? translated
				: new FenceException("The fence in '%s' cannot be checked, so nothing is committed: %s"
					.formatted(this.check.database(), failure.getMessage()), failure);
	}

	/** No table, no right, an aborted transaction, or a lock time-out. */
	private static boolean isOfTheCheck(SQLException failure) {
		return SqlError.UNUSABLE.is(failure) || SqlError.INVALID_STATE.is(failure) || SqlError.LOCK_TIMEOUT.is(failure);
	}

}
