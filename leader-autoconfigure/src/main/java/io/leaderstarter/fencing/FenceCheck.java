package io.leaderstarter.fencing;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

import io.leaderstarter.ActiveTerm;
import io.leaderstarter.Leadership;
import io.leaderstarter.StaleLeaderException;
import io.leaderstarter.jdbc.JdbcDialects;
import io.leaderstarter.jdbc.PostgresDriver;
import io.leaderstarter.jdbc.SqlError;
import org.jspecify.annotations.Nullable;

/**
 * The check of terms by one fence: first by the clocks of this process, then by the row
 * of the fence. All commits go through it.
 * <p>
 * Internal: not for applications.
 *
 * @since 0.1.0
 */
public final class FenceCheck {

	private final Fence fence;

	private final String namespace;

	private final List<FenceListener> listeners;

	/** The demand of a term by role, as it is the same for all statements of the term. */
	private final Map<String, Demand> demands = new ConcurrentHashMap<>();

	/**
	 * Create a new check.
	 * @param fence the fence that checks
	 * @param namespace separates applications
	 * @param listeners notified of checks and refusals
	 */
	FenceCheck(Fence fence, String namespace, List<FenceListener> listeners) {
		this.fence = fence;
		this.namespace = namespace;
		this.listeners = listeners;
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
				check(connection, term);
			}
		}
		catch (SQLException | IllegalStateException ex) {
			throw new FenceException("The fence in '%s' cannot be checked, so nothing is committed: %s"
				.formatted(database(), ex.getMessage()), ex);
		}
	}

	/**
	 * Check on the connection of a transaction that a term may still commit, and keep any
	 * later term from beginning until the transaction has ended.
	 * @throws StaleLeaderException if the term is over
	 */
	void check(Connection transaction, ActiveTerm term) throws SQLException {
		requireValid(term);
		Leadership leadership = term.leadership();
		long begun = System.nanoTime();
		try {
			String objection = this.fence.sql().objection(transaction, this.namespace, leadership);
			if (objection != null) {
				throw refused(leadership, objection);
			}
		}
		catch (SQLException ex) {
			// The database itself refuses writes in this transaction, so there is nothing
			// to check.
			if (!SqlError.READ_ONLY.is(ex) || !transaction.isReadOnly()) {
				throw ex;
			}
		}
		finally {
			checked(FenceListener.Trip.OWN, begun);
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
			if (this.fence.isFor(role)) {
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
	 * Return statements that check terms like {@link #check}, but fail in the server if a
	 * term is over, with a message that {@link #refusal} recognizes. So they can be sent
	 * together with the statement or commit that they check.
	 * @param connection the connection of the transaction
	 * @param fenced the terms, as {@link #fenced} returns them
	 * @return SQL, {@code null} if this database or driver, or a connection that may be
	 * read-only, needs {@link #check} instead
	 * @throws SQLException if the connection fails
	 * @throws StaleLeaderException if a term is over by the clocks of this process
	 */
	public @Nullable List<String> demands(Connection connection, List<ActiveTerm> fenced) throws SQLException {
		if (fenced.isEmpty() || !PostgresDriver.pipelines(connection) || connection.isReadOnly()) {
			return null;
		}
		List<String> demands = new ArrayList<>();
		for (ActiveTerm term : fenced) {
			requireValid(term);
			String demand = demand(term.leadership());
			if (demand == null) {
				return null;
			}
			demands.add(demand);
		}
		return demands;
	}

	private @Nullable String demand(Leadership leadership) {
		Demand known = this.demands.get(leadership.role());
		if (known == null || !known.leadership().equals(leadership)) {
			known = new Demand(leadership, this.fence.sql().demand(this.namespace, leadership));
			this.demands.put(leadership.role(), known);
		}
		return known.sql();
	}

	/**
	 * Make sure that a term is not over by the clocks of this process. For one that is,
	 * no check is sent, so that a deposed member does not hold up its successor's raise.
	 * @param term the term
	 * @throws StaleLeaderException if the term is over
	 */
	public void requireValid(ActiveTerm term) {
		if (!term.isValid()) {
			notifyOfRefusal(term.leadership(), FenceListener.Refuser.MEMBER);
			throw new StaleLeaderException(term.leadership());
		}
	}

	/**
	 * Notify listeners that terms were checked in the server.
	 * @param trip what the check was sent with
	 * @param begunNanos when, as {@link System#nanoTime()}
	 */
	public void checked(FenceListener.Trip trip, long begunNanos) {
		Duration took = Duration.ofNanos(System.nanoTime() - begunNanos);
		this.listeners.forEach((listener) -> listener.onCheck(database(), trip, took));
	}

	private void notifyOfRefusal(Leadership leadership, FenceListener.Refuser by) {
		this.listeners.forEach((listener) -> listener.onRefusal(database(), leadership, by));
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
		String message = failure.getMessage();
		// A syntax error may show the whole statement, so the message is not enough.
		if (SqlError.INVALID_CAST.is(failure) && message != null) {
			for (ActiveTerm term : terms) {
				if (message.contains(FenceSql.refusal(term.leadership()))) {
					return refused(term.leadership(), "another term leads there");
				}
			}
		}
		return null;
	}

	private StaleLeaderException refused(Leadership leadership, String why) {
		notifyOfRefusal(leadership, FenceListener.Refuser.FENCE);
		return new StaleLeaderException(
				"The term %s is over: '%s' refuses it, as %s".formatted(leadership, database(), why));
	}

	private record Demand(Leadership leadership, @Nullable String sql) {
	}

}
