package io.leaderstarter.fencing;

import java.sql.Connection;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

import javax.sql.DataSource;

import io.leaderstarter.ActiveTerm;
import io.leaderstarter.LeaderContext;
import io.leaderstarter.election.spi.CallListener;

import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Checks every transaction of a {@code @LeaderOnly} call just before it commits. What
 * writes in it does not matter: the check is made on the transaction's own connection.
 *
 * @since 0.1.0
 */
public final class FencedTransactions implements CallListener {

	private final Supplier<Fences> fences;

	private final TransactionExecutionListener listener = new TransactionExecutionListener() {

		@Override
		public void beforeCommit(TransactionExecution transaction) {
			// The end of a nested transaction only forgets a savepoint. A check there
			// would hold a raise up until the outer one ends.
			if (!transaction.isNested()) {
				Set<ActiveTerm> terms = new LinkedHashSet<>(LeaderContext.terms());
				terms.addAll(JoinedTerms.ofTransaction());
				if (!terms.isEmpty()) {
					check(terms);
				}
			}
		}

	};

	/**
	 * Makes the checks.
	 * @param fences what is checked, asked for at the first check
	 */
	public FencedTransactions(Supplier<Fences> fences) {
		this.fences = fences;
	}

	/**
	 * Sees to it that all transactions of a manager are checked, once however often this
	 * is called.
	 * @param manager the manager
	 */
	public void attach(ConfigurableTransactionManager manager) {
		if (!manager.getTransactionExecutionListeners().contains(this.listener)) {
			manager.addListener(this.listener);
		}
	}

	/**
	 * Lets a transaction that was begun before the call belong to the call as well. It
	 * commits when the call has returned.
	 */
	@Override
	public void onCall(ActiveTerm term) {
		if (TransactionSynchronizationManager.isSynchronizationActive()
				&& TransactionSynchronizationManager.isActualTransactionActive()) {
			JoinedTerms.join(term);
		}
	}

	private void check(Collection<ActiveTerm> terms) {
		Fences all = this.fences.get();
		for (Map.Entry<Object, Object> resource : TransactionSynchronizationManager.getResourceMap().entrySet()) {
			if (resource.getKey() instanceof DataSource dataSource
					&& resource.getValue() instanceof ConnectionHolder holder) {
				if (all.forDataSource(dataSource) != null) {
					Connection connection = holder.getConnection();
					new FenceCheck(this.fences, dataSource, false).check(connection, terms);
					FencingConnection.passed(connection, terms);
				}
			}
		}
	}

}
