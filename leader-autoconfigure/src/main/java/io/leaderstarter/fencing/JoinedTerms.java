package io.leaderstarter.fencing;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;

import io.leaderstarter.ActiveTerm;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The terms of calls that have joined the present transaction after it had begun. They
 * are kept with the transaction, as it commits when the calls have returned, and a call
 * may even come while it prepares to commit.
 */
final class JoinedTerms implements TransactionSynchronization {

	private static final Object KEY = JoinedTerms.class;

	private final Set<ActiveTerm> terms = new LinkedHashSet<>();

	private final Runnable onEnd;

	private JoinedTerms(Runnable onEnd) {
		this.onEnd = onEnd;
	}

	/**
	 * Lets a term join the present transaction.
	 * @param term the term
	 * @param onEnd called once at the end of the transaction, before its connection is
	 * given back
	 */
	static void join(ActiveTerm term, Runnable onEnd) {
		JoinedTerms joined = (JoinedTerms) TransactionSynchronizationManager.getResource(KEY);
		if (joined == null) {
			joined = new JoinedTerms(onEnd);
			TransactionSynchronizationManager.bindResource(KEY, joined);
			TransactionSynchronizationManager.registerSynchronization(joined);
		}
		joined.terms.add(term);
	}

	static Collection<ActiveTerm> ofTransaction() {
		JoinedTerms joined = (JoinedTerms) TransactionSynchronizationManager.getResource(KEY);
		return (joined != null) ? joined.terms : Set.of();
	}

	@Override
	public void suspend() {
		TransactionSynchronizationManager.unbindResourceIfPossible(KEY);
	}

	@Override
	public void resume() {
		TransactionSynchronizationManager.bindResource(KEY, this);
	}

	@Override
	public void afterCompletion(int status) {
		TransactionSynchronizationManager.unbindResourceIfPossible(KEY);
		this.onEnd.run();
	}

}
