package io.leaderstarter.fencing;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

import javax.sql.DataSource;

import io.leaderstarter.ActiveTerm;
import io.leaderstarter.LeaderContext;
import io.leaderstarter.NotLeaderException;
import io.leaderstarter.jdbc.PostgresDriver;
import org.jspecify.annotations.Nullable;

/**
 * The one check that every way to a commit goes through.
 */
final class FenceCheck {

	private final Supplier<Fences> fences;

	private final DataSource dataSource;

	private final boolean termDemanded;

	/**
	 * Makes the check.
	 * @param fences all fences, asked for at the first check
	 * @param dataSource whose connections are checked
	 * @param termDemanded whether there has to be a term
	 */
	FenceCheck(Supplier<Fences> fences, DataSource dataSource, boolean termDemanded) {
		this.fences = fences;
		this.dataSource = dataSource;
		this.termDemanded = termDemanded;
	}

	/**
	 * Returns the fence that is checked.
	 * @throws FenceException if the {@code DataSource} has none
	 */
	Fence fence() {
		Fence fence = this.fences.get().forDataSource(this.dataSource);
		if (fence == null) {
			throw new FenceException(
					"There is no fence for this DataSource. If leader.fence.data-sources is set, add its name there",
					null);
		}
		return fence;
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
		Fence fence = fence();
		try {
			if (fence.isReadOnly(connection)) {
				return;
			}
			for (ActiveTerm term : fenced(fence, terms)) {
				fence.check(connection, term);
			}
		}
		catch (SQLException | IllegalStateException ex) {
			throw new FenceException("The fence in '%s' cannot be checked, so nothing is committed: %s"
				.formatted(fence.name(), ex.getMessage()), ex);
		}
	}

	/**
	 * Tells the database at the beginning of a transaction what it has to know.
	 */
	void begin(Connection connection, Collection<ActiveTerm> terms) throws SQLException {
		Fence fence = fence();
		fence.opening().begin(connection, fenced(fence, terms));
	}

	/**
	 * Makes the session forget that at the end of the transaction.
	 */
	void end(Connection connection) throws SQLException {
		fence().opening().end(connection);
	}

	/**
	 * Returns the terms of the present call that are checked, in the order of the checks.
	 */
	List<ActiveTerm> terms() {
		return fenced(LeaderContext.terms());
	}

	/**
	 * Returns those of the terms that are checked, in the order of the checks.
	 */
	List<ActiveTerm> fenced(Collection<ActiveTerm> terms) {
		return fenced(fence(), terms);
	}

	DataSource dataSource() {
		return this.dataSource;
	}

	/**
	 * Returns what {@link #begin} says.
	 */
	@Nullable String opening(List<ActiveTerm> terms) {
		return fence().opening().begin(terms);
	}

	/**
	 * Returns statements that check terms in the server, so that they can go there
	 * together with what they check.
	 * @return SQL, {@code null} if this database or driver, or a connection that may be
	 * read-only, needs {@link #check} instead
	 */
	@Nullable List<String> demands(Connection connection, List<ActiveTerm> terms) throws SQLException {
		if (terms.isEmpty() || !PostgresDriver.pipelines(connection) || connection.isReadOnly()) {
			return null;
		}
		Fence fence = fence();
		List<String> demands = new ArrayList<>();
		for (ActiveTerm term : terms) {
			String demand = fence.termCheck().demand(term);
			if (demand == null) {
				return null;
			}
			demands.add(demand);
		}
		return demands;
	}

	/**
	 * Terms that have this fence, by name of the role, so that two transactions that need
	 * the same fences do not wait for each other.
	 */
	private List<ActiveTerm> fenced(Fence fence, Collection<ActiveTerm> terms) {
		Map<String, ActiveTerm> ordered = new TreeMap<>();
		for (ActiveTerm term : terms) {
			String role = term.leadership().role();
			if (this.fences.get().forRole(role).contains(fence)) {
				ordered.putIfAbsent(role + '\n' + term.leadership().tenure(), term);
			}
		}
		return List.copyOf(ordered.values());
	}

}
