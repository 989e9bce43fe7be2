package io.leaderstarter.fencing;

import java.sql.Connection;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import javax.sql.DataSource;

import io.leaderstarter.ActiveTerm;
import io.leaderstarter.LeaderContext;
import io.leaderstarter.election.spi.CallListener;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.function.ThrowingConsumer;

/**
 * Checks every transaction of a {@code @LeaderOnly} call just before it commits. It does
 * not matter which library writes: the check runs on the connection of the transaction.
 *
 * @since 0.1.0
 */
public final class FencedTransactions implements CallListener {

	private static final Log logger = LogFactory.getLog(FencedTransactions.class);

	private final Supplier<Fences> fences;

	private final UnsynchronizedTerms unsynchronized = new UnsynchronizedTerms();

	/**
	 * Create new checks.
	 * @param fences the fences, resolved at the first check
	 */
	public FencedTransactions(Supplier<Fences> fences) {
		this.fences = fences;
	}

	/**
	 * Check all transactions of a manager. Further calls for the same manager change
	 * nothing.
	 * @param manager the manager
	 * @param name the name of the manager in messages
	 */
	public synchronized void attach(ConfigurableTransactionManager manager, String name) {
		boolean attached = manager.getTransactionExecutionListeners()
			.stream()
			.anyMatch((listener) -> listener instanceof Listener fencing && fencing.isOf(this));
		if (!attached) {
			manager.addListener(new Listener(manager, name));
		}
	}

	/**
	 * Add the term of a call to the transaction that was begun before it, as that commits
	 * after the call.
	 */
	@Override
	public void onCall(ActiveTerm term) {
		if (TransactionSynchronizationManager.isSynchronizationActive()
				? TransactionSynchronizationManager.isActualTransactionActive() : isUnsynchronized()) {
			join(Set.of(term));
		}
	}

	/** The transaction may commit after the calls have returned. */
	private void join(Collection<ActiveTerm> terms) {
		if (TransactionSynchronizationManager.isSynchronizationActive()) {
			terms.forEach((term) -> JoinedTerms.join(term, this::end));
		}
		else if (isUnsynchronized()) {
			terms.forEach((term) -> this.unsynchronized.join(holders(), term));
		}
		if (opensTransactions()) {
			begin(terms());
		}
	}

	private boolean isUnsynchronized() {
		return UnsynchronizedTerms.areJoined() && !holders().isEmpty();
	}

	/**
	 * With most settings there is nothing to set, so that connections are not even
	 * collected.
	 */
	private boolean opensTransactions() {
		return this.fences.get().all().stream().anyMatch(Fence::opensTransactions);
	}

	private void begin(Collection<ActiveTerm> terms) {
		// Spring leaves a transaction open if a failure is thrown when it begins. If it
		// matters, the check fails.
		tryEach("set", (each) -> each.check().begin(each.connection(), terms));
	}

	private void end() {
		if (opensTransactions()) {
			// The transaction has ended already, so nothing may be thrown. A term that
			// remains in the session will be over.
			tryEach("reset", (each) -> each.check().end(each.connection()));
		}
	}

	private void tryEach(String what, ThrowingConsumer<Bound> step) {
		bound().forEach((each) -> {
			try {
				step.acceptWithException(each);
			}
			catch (Exception ex) {
				logger.debug("The variables of a transaction could not be " + what, ex);
			}
		});
	}

	/**
	 * Check all connections that are bound to this thread. They may belong to several
	 * transactions, of which only one ends now; if it is refused, the others that the
	 * call may have written in must not commit either.
	 */
	private void check(Listener listener, Collection<ActiveTerm> terms) {
		List<Bound> bound = bound();
		if (bound.isEmpty()) {
			listener.unchecked(terms);
			return;
		}
		try {
			CheckedCommit commit = (bound.size() == 1) ? CheckedCommit.of(listener.manager, listener, bound.get(0))
					: null;
			if (commit == null || !commit.run(terms)) {
				bound.forEach((each) -> {
					Connection connection = each.connection();
					each.check().check(connection, terms);
					if (connection instanceof CheckingConnection checking) {
						checking.checked(terms.toArray(ActiveTerm[]::new));
					}
				});
			}
		}
		catch (RuntimeException | Error ex) {
			holders().forEach(ConnectionHolder::setRollbackOnly);
			throw ex;
		}
	}

	/**
	 * Those that have a connection and a fence. A copy, as what is bound may change when
	 * a connection is used for the first time.
	 */
	private List<Bound> bound() {
		Fences all = this.fences.get();
		List<Bound> bound = new ArrayList<>();
		TransactionSynchronizationManager.getResourceMap().forEach((key, value) -> {
			if (key instanceof DataSource dataSource && value instanceof ConnectionHolder holder
					&& holder.getConnectionHandle() != null) {
				FenceCheck check = all.check(dataSource);
				if (check != null) {
					bound.add(new Bound(dataSource, holder, check));
				}
			}
		});
		return bound;
	}

	private List<ConnectionHolder> holders() {
		return bound().stream().map(Bound::holder).toList();
	}

	private Set<ActiveTerm> terms() {
		Set<ActiveTerm> terms = new LinkedHashSet<>(LeaderContext.terms());
		terms.addAll(JoinedTerms.ofTransaction());
		if (!this.unsynchronized.isEmpty()) {
			terms.addAll(this.unsynchronized.of(holders()));
		}
		return terms;
	}

	/**
	 * A connection that is bound to this thread, and how terms are checked on it.
	 */
	record Bound(DataSource dataSource, ConnectionHolder holder, FenceCheck check) {

		Connection connection() {
			return this.holder.getConnection();
		}

	}

	/** One for each manager, as they commit in different ways. */
	private final class Listener implements TransactionExecutionListener {

		private final ConfigurableTransactionManager manager;

		private final String name;

		private final AtomicBoolean complained = new AtomicBoolean();

		private Listener(ConfigurableTransactionManager manager, String name) {
			this.manager = manager;
			this.name = name;
		}

		/**
		 * Warn of a transaction without a fence. It may have no database, so it is not
		 * refused.
		 */
		private void unchecked(Collection<ActiveTerm> terms) {
			Fences all = FencedTransactions.this.fences.get();
			boolean leftOut = TransactionSynchronizationManager.getResourceMap()
				.keySet()
				.stream()
				.anyMatch((key) -> key instanceof DataSource dataSource && all.leavesOut(dataSource));
			if (!leftOut && this.complained.compareAndSet(false, true)) {
				logger.warn(("A transaction of '%s' in a call of the role '%s' was not checked, as no connection to a "
						+ "fenced database %s takes part in it. If it writes to a database, that commits even if this "
						+ "member was deposed. Make the DataSource that it uses a bean, and give the transaction "
						+ "manager the same one (JpaTransactionManager.setDataSource), or guard the tables "
						+ "(leader.fence.guarded-tables). Transactions of JTA cannot be checked")
					.formatted(this.name, terms.iterator().next().leadership().role(),
							all.all().stream().map(Fence::name).toList()));
			}
		}

		private boolean isOf(FencedTransactions transactions) {
			return FencedTransactions.this == transactions;
		}

		@Override
		public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
			Set<ActiveTerm> terms = (failure == null) ? terms() : Set.of();
			if (!terms.isEmpty()) {
				join(terms);
			}
		}

		@Override
		public void beforeCommit(TransactionExecution transaction) {
			// The end of a nested transaction only forgets a savepoint. A check there
			// would hold a raise up until the outer one ends.
			if (!transaction.isNested()) {
				JoinedTerms.ending(transaction);
				Set<ActiveTerm> terms = terms();
				if (!terms.isEmpty()) {
					check(this, terms);
				}
			}
		}

		@Override
		public void beforeRollback(TransactionExecution transaction) {
			if (!transaction.isNested()) {
				JoinedTerms.ending(transaction);
			}
		}

		@Override
		public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
			ended(transaction);
		}

		@Override
		public void afterRollback(TransactionExecution transaction, @Nullable Throwable failure) {
			ended(transaction);
		}

		private void ended(TransactionExecution transaction) {
			JoinedTerms.ended(transaction);
			if (!FencedTransactions.this.unsynchronized.isEmpty() && UnsynchronizedTerms.areJoined()) {
				end();
			}
		}

	}

}
