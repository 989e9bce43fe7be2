package io.leaderstarter.fencing;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.leaderstarter.ActiveTerm;
import io.leaderstarter.StaleLeaderException;
import io.leaderstarter.jdbc.PostgresDriver;
import org.jspecify.annotations.Nullable;

/**
 * The check of terms by one fence, that every way to a commit goes through.
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
	 * Return whether the fence can be used. Another one may be in its place later
	 * otherwise.
	 * @return whether it can be used
	 */
	public boolean isPrepared() {
		return this.fence.isPrepared();
	}

	/**
	 * Check that terms may commit on a connection. Whatever goes wrong leaves as an
	 * exception that makes Spring roll back; after a {@code TransactionException} it
	 * would commit.
	 * @param connection the connection of the transaction
	 * @param terms the terms, whether they have this fence or not
	 */
	public void check(Connection connection, Collection<ActiveTerm> terms) {
		try {
			if (this.fence.isReadOnly(connection)) {
				return;
			}
			for (ActiveTerm term : fenced(terms)) {
				this.fence.check(connection, term);
			}
		}
		catch (SQLException | IllegalStateException ex) {
			throw new FenceException("The fence in '%s' cannot be checked, so nothing is committed: %s"
				.formatted(database(), ex.getMessage()), ex);
		}
	}

	/**
	 * Tell the database at the beginning of a transaction what it has to know.
	 * @param connection the connection of the transaction
	 * @param terms the terms of the transaction
	 * @throws SQLException if the database fails
	 */
	public void begin(Connection connection, Collection<ActiveTerm> terms) throws SQLException {
		this.fence.opening().begin(connection, fenced(terms));
	}

	/**
	 * Make the session forget that at the end of the transaction.
	 * @param connection the connection of the transaction
	 * @throws SQLException if the database fails
	 */
	public void end(Connection connection) throws SQLException {
		this.fence.opening().end(connection);
	}

	/**
	 * Return those of the terms that have this fence, by name of the role, so that two
	 * transactions that need the same fences do not wait for each other.
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
	 * @return SQL without parameters, {@code null} if there is nothing to say
	 */
	public @Nullable String opening(List<ActiveTerm> fenced) {
		return this.fence.opening().begin(fenced);
	}

	/**
	 * Return statements that check terms in the server, so that they can go there
	 * together with what they check.
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
	 * Notify listeners that {@link #demands} went to the server together with what they
	 * are about.
	 * @param trip what they went with
	 * @param begunNanos when, as {@link System#nanoTime()}
	 */
	public void demanded(FenceListener.Trip trip, long begunNanos) {
		this.fence.termCheck().demanded(trip, begunNanos);
	}

	/**
	 * Return the exception that says that the server refuses one of the terms, if that is
	 * why something failed.
	 * @param failure the failure
	 * @param terms the terms that were checked
	 * @return the exception to throw, {@code null} if it failed for another reason
	 */
	public @Nullable StaleLeaderException refusal(SQLException failure, Iterable<ActiveTerm> terms) {
		return this.fence.termCheck().refusal(failure, terms);
	}

}
