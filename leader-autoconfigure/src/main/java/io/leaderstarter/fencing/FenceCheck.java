package io.leaderstarter.fencing;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.leaderstarter.jdbc.JdbcDialects;
import io.leaderstarter.ActiveTerm;
import io.leaderstarter.StaleLeaderException;
import io.leaderstarter.jdbc.PostgresDriver;
import org.jspecify.annotations.Nullable;

/**
 * The check of terms by one fence. All commits go through it.
 * <p>
 * Internal: not for applications.
 *
 * @since 0.1.0
 */
public final class FenceCheck {

	private final Fences fences;

	private final Fence fence;

	/**
	 * Create a new check.
	 * @param fences all fences, which know the fences of a role
	 * @param fence the fence that checks
	 */
	FenceCheck(Fences fences, Fence fence) {
		this.fences = fences;
		this.fence = fence;
	}

	/**
	 * Return the name of the database in messages.
	 */
	String database() {
		return this.fence.name();
	}

	/**
	 * Return whether the fence is prepared. Otherwise another one may be used in its
	 * place later.
	 * @return whether it can be used
	 */
	public boolean isPrepared() {
		return this.fence.isPrepared();
	}

	/**
	 * Check that terms may commit on a connection. Every failure is an exception that
	 * makes Spring roll back; after a {@code TransactionException} it would commit.
	 * @param connection the connection of the transaction
	 * @param terms the terms, fenced here or not
	 */
	public void check(Connection connection, Collection<ActiveTerm> terms) {
		try {
			if (this.fence.sql().isReadOnly(connection)) {
				return;
			}
			for (ActiveTerm term : fenced(terms)) {
				this.fence.termCheck().check(connection, term);
			}
		}
		catch (SQLException | IllegalStateException ex) {
			throw new FenceException("The fence in '%s' cannot be checked, so nothing is committed: %s"
				.formatted(database(), ex.getMessage()), ex);
		}
	}

	/**
	 * Set the variables of a transaction at its beginning.
	 * @param connection the connection of the transaction
	 * @param terms the terms of the transaction
	 * @throws SQLException if the database fails
	 */
	public void begin(Connection connection, Collection<ActiveTerm> terms) throws SQLException {
		run(connection, opening(fenced(terms)));
	}

	/**
	 * Reset the variables of a transaction at its end.
	 * @param connection the connection of the transaction
	 * @throws SQLException if the database fails
	 */
	public void end(Connection connection) throws SQLException {
		run(connection, this.fence.sql().end());
	}

	private static void run(Connection connection, @Nullable String sql) throws SQLException {
		if (sql != null) {
			JdbcDialects.execute(connection, sql);
		}
	}

	/**
	 * Return those of the terms that have this fence, sorted by role, so that two
	 * transactions with the same fences do not run into a deadlock.
	 * @param terms the terms
	 * @return the terms to check, in the order of the checks
	 */
	public List<ActiveTerm> fenced(Collection<ActiveTerm> terms) {
		Map<String, ActiveTerm> ordered = new TreeMap<>();
		for (ActiveTerm term : terms) {
			String role = term.leadership().role();
			if (this.fences.forRole(role).contains(this.fence)) {
				ordered.putIfAbsent(role + '\n' + term.leadership().termId(), term);
			}
		}
		return List.copyOf(ordered.values());
	}

	/**
	 * Return the SQL that {@link #begin} executes.
	 * @param fenced the terms, as {@link #fenced} returns them
	 * @return SQL without parameters, {@code null} if there is nothing to set
	 */
	public @Nullable String opening(List<ActiveTerm> fenced) {
		return this.fence.sql().begin(fenced);
	}

	/**
	 * Return statements that check terms in the server, so that they can be sent together
	 * with the statement or commit that they check.
	 * @param connection the connection of the transaction
	 * @param fenced the terms, as {@link #fenced} returns them
	 * @return SQL, {@code null} if this database or driver, or a connection that may be
	 * read-only, needs {@link #check} instead
	 * @throws SQLException if the connection fails
	 */
	public @Nullable List<String> demands(Connection connection, List<ActiveTerm> fenced) throws SQLException {
		if (fenced.isEmpty() || !PostgresDriver.pipelines(connection) || connection.isReadOnly()) {
			return null;
		}
		List<String> demands = new ArrayList<>();
		for (ActiveTerm term : fenced) {
			String demand = this.fence.termCheck().demand(term);
			if (demand == null) {
				return null;
			}
			demands.add(demand);
		}
		return demands;
	}

	/**
	 * Make sure that a term is not over by the clocks of this process.
	 * @param term the term
	 * @throws StaleLeaderException if the term is over
	 */
	public void requireValid(ActiveTerm term) {
		this.fence.termCheck().requireValid(term);
	}

	/**
	 * Notify listeners that {@link #demands} were sent to the server.
	 * @param trip what they were sent with
	 * @param begunNanos when, as {@link System#nanoTime()}
	 */
	public void demanded(FenceListener.Trip trip, long begunNanos) {
		this.fence.termCheck().checked(trip, begunNanos);
	}

	/**
	 * Return the exception for a term that the server refused, if that is why a statement
	 * failed.
	 * @param failure the failure
	 * @param terms the terms that were checked
	 * @return the exception to throw, {@code null} if the statement failed for another
	 * reason
	 */
	public @Nullable StaleLeaderException refusal(SQLException failure, Iterable<ActiveTerm> terms) {
		return this.fence.termCheck().refusal(failure, terms);
	}

}
