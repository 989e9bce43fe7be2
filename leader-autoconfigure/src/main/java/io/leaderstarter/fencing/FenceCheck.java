package io.leaderstarter.fencing;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.leaderstarter.ActiveTerm;
import io.leaderstarter.LeaderContext;
import io.leaderstarter.NotLeaderException;

/**
 * The one check that every way to a commit goes through.
 */
final class FenceCheck {

	private final Fences fences;

	private final Fence fence;

	private final boolean termDemanded;

	FenceCheck(Fences fences, Fence fence, boolean termDemanded) {
		this.fences = fences;
		this.fence = fence;
		this.termDemanded = termDemanded;
	}

	/**
	 * Returns whether the present call has to be checked.
	 * @throws NotLeaderException if there is no call, but has to be
	 */
	boolean isNeeded() {
		boolean needed = !LeaderContext.terms().isEmpty();
		if (!needed && this.termDemanded) {
			throw new NotLeaderException(
					"Fenced JDBC needs a term: call it from a @LeaderOnly method, or use unfenced()");
		}
		return needed;
	}

	/**
	 * Checks that all terms of the present call may commit on a connection.
	 */
	void check(Connection connection) {
		check(connection, LeaderContext.terms());
	}

	/**
	 * Checks that terms may commit on a connection. Whatever goes wrong leaves as an
	 * exception that makes Spring roll back; after a {@code TransactionException} it
	 * would commit.
	 */
	void check(Connection connection, Collection<ActiveTerm> terms) {
		try {
			if (this.fence.isReadOnly(connection)) {
				return;
			}
			for (ActiveTerm term : inOneOrder(terms)) {
				if (this.fences.forRole(term.leadership().role()).contains(this.fence)) {
					this.fence.check(connection, term);
				}
			}
		}
		catch (SQLException | IllegalStateException ex) {
			throw new FenceException("The fence in '%s' cannot be checked, so nothing is committed: %s"
				.formatted(this.fence.name(), ex.getMessage()), ex);
		}
	}

	/**
	 * By name, so that two transactions that need the same fences do not wait for each
	 * other.
	 */
	private static Collection<ActiveTerm> inOneOrder(Collection<ActiveTerm> terms) {
		if (terms.size() < 2) {
			return terms;
		}
		Map<List<String>, ActiveTerm> ordered = new TreeMap<>((one, other) -> {
			int byRole = one.get(0).compareTo(other.get(0));
			return (byRole != 0) ? byRole : one.get(1).compareTo(other.get(1));
		});
		terms.forEach(
				(term) -> ordered.putIfAbsent(List.of(term.leadership().role(), term.leadership().tenure()), term));
		return ordered.values();
	}

}
