package io.leaderstarter.fencing;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;

import io.leaderstarter.ActiveTerm;

import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The terms of calls that have joined transactions without synchronizations
 * ({@code SYNCHRONIZATION_NEVER}). Spring keeps nothing of these but the holder of their
 * connection, which is a new one for each.
 */
final class UnsynchronizedTerms {

	private final Map<ConnectionHolder, Set<ActiveTerm>> terms = Collections.synchronizedMap(new WeakHashMap<>());

	/**
	 * Return whether connections that are bound to this thread are those of transactions
	 * without synchronizations. While callbacks of a completed transaction run there are
	 * no synchronizations either, but Spring still reports it as active.
	 */
	static boolean areJoined() {
		return !TransactionSynchronizationManager.isSynchronizationActive()
				&& !TransactionSynchronizationManager.isActualTransactionActive();
	}

	void join(Collection<ConnectionHolder> transactions, ActiveTerm term) {
		for (ConnectionHolder holder : transactions) {
			this.terms.computeIfAbsent(holder, (key) -> new LinkedHashSet<>()).add(term);
		}
	}

	Set<ActiveTerm> of(Collection<ConnectionHolder> transactions) {
		Set<ActiveTerm> all = new LinkedHashSet<>();
		for (ConnectionHolder holder : transactions) {
			all.addAll(this.terms.getOrDefault(holder, Set.of()));
		}
		return all;
	}

	boolean isEmpty() {
		return this.terms.isEmpty();
	}

}
