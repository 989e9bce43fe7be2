package io.leaderstarter.fencing;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;

import io.leaderstarter.ActiveTerm;
import org.jspecify.annotations.Nullable;

import org.springframework.core.Ordered;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The terms of calls that have joined the current transaction after it had begun. They
 * are kept with the transaction, as it commits after the calls, and a call may even be
 * made while it prepares to commit.
 * <p>
 * They are kept until all callbacks after the commit have run. New transactions of these
 * callbacks are checked for the same terms.
 */
final class JoinedTerms implements TransactionSynchronization {

	private static final Object KEY = JoinedTerms.class;

	private final Set<ActiveTerm> terms = new LinkedHashSet<>();

	private final Runnable onEnd;

	/** Those of a transaction that is over, in whose callbacks this one was begun. */
	private @Nullable JoinedTerms outer;

	/**
	 * The transaction that was the last to be about to end. Others may have begun and
	 * ended within the one that these terms belong to.
	 */
	private @Nullable TransactionExecution ending;

	private boolean over;

	private JoinedTerms(Runnable onEnd) {
		this.onEnd = onEnd;
	}

	/**
	 * Let a term join the present transaction.
	 * @param term the term
	 * @param onEnd called once at the end of the transaction, before its connection is
	 * given back
	 */
	static void join(ActiveTerm term, Runnable onEnd) {
		JoinedTerms joined = current();
		if (joined == null || joined.over) {
			joined = new JoinedTerms(onEnd);
			joined.bind();
			TransactionSynchronizationManager.registerSynchronization(joined);
		}
		joined.terms.add(term);
	}

	static Collection<ActiveTerm> ofTransaction() {
		Set<ActiveTerm> all = new LinkedHashSet<>();
		for (JoinedTerms joined = current(); joined != null; joined = joined.outer) {
			all.addAll(joined.terms);
		}
		return all;
	}

	/**
	 * Take note that a transaction is about to end, and that {@link #ended} is called
	 * after it.
	 */
	static void ending(TransactionExecution transaction) {
		JoinedTerms joined = current();
		if (joined != null && !joined.over) {
			joined.ending = transaction;
		}
	}

	/**
	 * Take note that a transaction has ended, with all its callbacks.
	 */
	static void ended(TransactionExecution transaction) {
		for (JoinedTerms joined = current(); joined != null; joined = joined.outer) {
			if (joined.over && joined.ending == transaction) {
				joined.unbind();
			}
		}
	}

	/** If another listener fails, {@link #ended} is not called for a transaction. */
	private static @Nullable JoinedTerms current() {
		JoinedTerms bound = bound();
		while (bound != null && bound.over && bound.ending != null && bound.ending.isCompleted()) {
			bound.unbind();
			bound = bound();
		}
		return bound;
	}

	private static @Nullable JoinedTerms bound() {
		return (JoinedTerms) TransactionSynchronizationManager.getResource(KEY);
	}

	private void bind() {
		this.outer = bound();
		rebind(this);
	}

	private void unbind() {
		JoinedTerms bound = bound();
		if (bound == this) {
			rebind(this.outer);
			return;
		}
		for (JoinedTerms joined = bound; joined != null; joined = joined.outer) {
			if (joined.outer == this) {
				joined.outer = this.outer;
			}
		}
	}

	private static void rebind(@Nullable JoinedTerms joined) {
		TransactionSynchronizationManager.unbindResourceIfPossible(KEY);
		if (joined != null) {
			TransactionSynchronizationManager.bindResource(KEY, joined);
		}
	}

	/** Before any callback after the commit. */
	@Override
	public int getOrder() {
		return Ordered.HIGHEST_PRECEDENCE;
	}

	@Override
	public void suspend() {
		// A transaction that suspends this one has nothing to do with the calls, unless
		// it is begun after the commit.
		if (!this.over) {
			unbind();
		}
	}

	@Override
	public void resume() {
		if (!this.over) {
			bind();
		}
	}

	@Override
	public void afterCommit() {
		this.over = true;
	}

	@Override
	public void afterCompletion(int status) {
		this.over = true;
		if (this.ending == null || this.ending.isCompleted()) {
			// Its manager has no listener that is notified when all is done.
			unbind();
		}
		this.onEnd.run();
	}

}
