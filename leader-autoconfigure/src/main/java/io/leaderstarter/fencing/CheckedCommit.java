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
import io.leaderstarter.jdbc.SqlErrors;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Checks the terms of a transaction and commits it, in one message to the server. The
 * manager then commits a transaction that is over, which the driver knows and does not
 * ask the server for.
 * <p>
 * This is done only if nothing can come between the check and the commit: for Spring's
 * own manager of one {@code DataSource} whose commit does nothing else, and if nobody
 * listens behind us, who could still object. A failure must not leave as a
 * {@code TransactionException}, as Spring would not roll back then. Hence not for the
 * manager that makes one of each failed commit.
 */
final class CheckedCommit {

	private final FenceCheck check;

	private final Connection connection;

	private final JdbcTransactionManager manager;

	private CheckedCommit(FenceCheck check, Connection connection, JdbcTransactionManager manager) {
		this.check = check;
		this.connection = connection;
		this.manager = manager;
	}

	/**
	 * Return how to commit what a manager is about to commit.
	 * @param manager the manager
	 * @param listener who asks
	 * @param bound the connection of the only fenced transaction there is
	 * @return how, {@code null} if it has to be checked first
	 */
	static @Nullable CheckedCommit of(ConfigurableTransactionManager manager, TransactionExecutionListener listener,
			FencedTransactions.Bound bound) {
		Connection connection = bound.connection();
		if (manager.getClass() != JdbcTransactionManager.class || connection instanceof CheckingConnection) {
			return null;
		}
		Deque<TransactionExecutionListener> listeners = new LinkedList<>(manager.getTransactionExecutionListeners());
		JdbcTransactionManager own = (JdbcTransactionManager) manager;
		return (listeners.peekLast() == listener && own.getDataSource() == bound.dataSource())
				? new CheckedCommit(bound.check(), connection, own) : null;
	}

	/**
	 * Check and commit.
	 * @return whether that was done; if not, the connection or the database is not made
	 * for it and nothing was done
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
				this.check.demanded(FenceListener.Trip.COMMIT, begun);
			}
			return true;
		}
		catch (SQLException ex) {
			throw explain(fenced, ex);
		}
	}

	/** There is a row of each check, and a count of the commit. */
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
		// Constraints that are checked late, conflicts of serializable transactions, and
		// connections that were lost: what a commit fails with, in its own words.
		DataAccessException translated = isOfTheCheck(failure) ? null
				: this.manager.getExceptionTranslator().translate("JDBC commit", null, failure);
		return (translated != null) ? translated
				: new FenceException("The fence in '%s' cannot be checked, so nothing is committed: %s"
					.formatted(this.check.database(), failure.getMessage()), failure);
	}

	/** No table, no right, no healthy transaction, or waited for too long. */
	private static boolean isOfTheCheck(SQLException failure) {
		return SqlErrors.isUnusable(failure) || SqlErrors.isInvalidState(failure) || SqlErrors.isLockTimeout(failure);
	}

}
