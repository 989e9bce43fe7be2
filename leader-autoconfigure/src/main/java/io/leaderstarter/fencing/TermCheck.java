package io.leaderstarter.fencing;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.leaderstarter.ActiveTerm;
import io.leaderstarter.Leadership;
import io.leaderstarter.StaleLeaderException;
import io.leaderstarter.jdbc.SqlErrors;
import org.jspecify.annotations.Nullable;

/**
 * Checks single terms: first by the clocks of this process, then by the row of the fence.
 */
final class TermCheck {

	private final String database;

	private final String namespace;

	private final Supplier<FenceSql> sql;

	private final List<FenceListener> listeners;

	/** The demand of a term by role, as it is the same for all statements of the term. */
	private final Map<String, Demand> demands = new ConcurrentHashMap<>();

	/**
	 * Create a new check.
	 * @param database the name of the database in messages
	 * @param namespace separates applications
	 * @param sql the statements, which are known once the fence was prepared
	 * @param listeners notified of checks and refusals
	 */
	TermCheck(String database, String namespace, Supplier<FenceSql> sql, List<FenceListener> listeners) {
		this.database = database;
		this.namespace = namespace;
		this.sql = sql;
		this.listeners = listeners;
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
			String objection = this.sql.get().objection(transaction, this.namespace, leadership);
			if (objection != null) {
				throw refused(leadership, objection);
			}
		}
		catch (SQLException ex) {
			// The database itself refuses writes in this transaction, so there is nothing
			// to check.
			if (!SqlErrors.isReadOnly(ex) || !transaction.isReadOnly()) {
				throw ex;
			}
		}
		finally {
			checked(FenceListener.Trip.OWN, begun);
		}
	}

	/**
	 * Make sure that a term is not over by the clocks of this process. For one that is,
	 * no check is sent, so that a deposed member does not hold up its successor's raise.
	 * @throws StaleLeaderException if the term is over
	 */
	void requireValid(ActiveTerm term) {
		if (!term.isValid()) {
			notifyOfRefusal(term.leadership(), FenceListener.Refuser.MEMBER);
			throw new StaleLeaderException(term.leadership());
		}
	}

	/**
	 * Return a statement that checks a term like {@link #check}, but fails in the server
	 * if the term is over, with a message that {@link #refusal} recognizes.
	 * @return SQL, {@code null} if the database needs {@link #check}
	 * @throws StaleLeaderException if the term is over by the clocks of this process
	 */
	@Nullable String demand(ActiveTerm term) {
		requireValid(term);
		Leadership leadership = term.leadership();
		Demand known = this.demands.get(leadership.role());
		if (known == null || !known.leadership().equals(leadership)) {
			known = new Demand(leadership, this.sql.get().demand(this.namespace, leadership));
			this.demands.put(leadership.role(), known);
		}
		return known.sql();
	}

	/**
	 * Notify listeners of a check.
	 * @param trip what it was sent to the server with
	 * @param begunNanos when, as {@link System#nanoTime()}
	 */
	void checked(FenceListener.Trip trip, long begunNanos) {
		Duration took = Duration.ofNanos(System.nanoTime() - begunNanos);
		this.listeners.forEach((listener) -> listener.onCheck(this.database, trip, took));
	}

	private void notifyOfRefusal(Leadership leadership, FenceListener.Refuser by) {
		this.listeners.forEach((listener) -> listener.onRefusal(this.database, leadership, by));
	}

	/**
	 * Return the exception for a term that the server refused, if that is why a statement
	 * failed.
	 * @return the exception to throw, {@code null} if the statement failed for another
	 * reason
	 */
	@Nullable StaleLeaderException refusal(SQLException failure, Iterable<ActiveTerm> terms) {
		String message = failure.getMessage();
		// A syntax error may show the whole statement, so the message is not enough.
		if (SqlErrors.isInvalidCast(failure) && message != null) {
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
				"The term %s is over: '%s' refuses it, as %s".formatted(leadership, this.database, why));
	}

	private record Demand(Leadership leadership, @Nullable String sql) {
	}

}
