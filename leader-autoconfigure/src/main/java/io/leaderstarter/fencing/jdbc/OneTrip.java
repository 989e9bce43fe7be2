package io.leaderstarter.fencing.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

import io.leaderstarter.ActiveTerm;
import io.leaderstarter.LeaderContext;
import io.leaderstarter.StaleLeaderException;
import io.leaderstarter.fencing.FenceCheck;
import io.leaderstarter.fencing.FenceListener;
import org.jspecify.annotations.Nullable;

/**
 * A statement, its check and its commit in one round trip. The check fails in the server,
 * so that the commit can be sent before its answer.
 * <p>
 * The transaction is an explicit one. A message is one implicit transaction, but the
 * driver may split it in two, and then the statement would be committed before its check.
 *
 * @param check the check of terms
 * @param statement the statement
 * @param opening what sets the variables of the transaction, {@code null} if there are
 * none
 * @param terms the terms that are checked
 * @param demands the check of each of them
 */
record OneTrip(FenceCheck check, String statement, @Nullable String opening, List<ActiveTerm> terms,
		List<String> demands) {

	/**
	 * Plan the trip of a statement.
	 * @return the plan, {@code null} if the statement or the database does not allow it
	 */
	static @Nullable OneTrip plan(FenceCheck check, Connection connection, String statement) throws SQLException {
		// The driver has to parse several statements, and JDBC escapes.
		if (statement.indexOf(';') >= 0 || statement.stripLeading().startsWith("{")) {
			return null;
		}
		List<ActiveTerm> terms = check.fenced(LeaderContext.terms());
		List<String> demands = check.demands(connection, terms);
		return (demands != null) ? new OneTrip(check, statement, check.opening(terms), terms, demands) : null;
	}

	/**
	 * Return the SQL of the round trip. The check comes last, so that it does not hold up
	 * a raise while the statement waits for locks, and the indexes of parameters do not
	 * change.
	 */
	String sql() {
		// A statement may end with a comment, so its semicolon is on a new line.
		return "begin;" + ((this.opening != null) ? this.opening + ";" : "") + this.statement + "\n;"
				+ String.join(";", this.demands) + ";commit";
	}

	/**
	 * Return whether the plan is for the current call, and not for another one.
	 * @throws StaleLeaderException if one of them is over by the clocks of this process;
	 * nothing is sent then
	 */
	boolean isOfPresentCall() {
		if (!this.terms.equals(this.check.fenced(LeaderContext.terms()))) {
			return false;
		}
		this.terms.forEach(this.check::requireValid);
		return true;
	}

	/**
	 * Send the SQL.
	 * @param statement a statement that was prepared with {@link #sql()}, or any that was
	 * not prepared
	 * @return the results of the statement alone
	 * @throws StaleLeaderException if it was refused
	 * @throws SQLException if it failed; the transaction may be open
	 */
	Results run(Statement statement) throws SQLException {
		long begun = System.nanoTime();
		try {
			if (statement instanceof PreparedStatement prepared) {
				prepared.execute();
			}
			else {
				statement.execute(sql());
			}
			return read(statement);
		}
		catch (SQLException ex) {
			StaleLeaderException refusal = this.check.refusal(ex, this.terms);
			if (refusal != null) {
				throw refusal;
			}
			throw ex;
		}
		finally {
			this.check.checked(FenceListener.Trip.STATEMENT, begun);
		}
	}

	/**
	 * Read all results. If one is missing, a part of the statement, such as an open
	 * quote, has hidden the check or the commit from the server.
	 */
	private Results read(Statement statement) throws SQLException {
		boolean complete = statement.getUpdateCount() >= 0;
		if (this.opening != null) {
			complete &= statement.getMoreResults();
		}
		ResultSet rows = statement.getMoreResults() ? statement.getResultSet() : null;
		long count = (rows != null) ? -1 : statement.getLargeUpdateCount();
		for (int demand = 0; demand < this.demands.size(); demand++) {
			complete &= statement.getMoreResults(Statement.KEEP_CURRENT_RESULT);
		}
		complete &= !statement.getMoreResults(Statement.KEEP_CURRENT_RESULT) && statement.getUpdateCount() >= 0;
		if (!complete) {
			throw new SQLException("The statement cannot be fenced: its check was not executed. Is a quote open?",
					"42601");
		}
		return new Results(rows, count);
	}

	/**
	 * What a statement returned.
	 *
	 * @param rows rows, if it returned any
	 * @param count how many rows it changed, -1 if it returned rows
	 */
	record Results(@Nullable ResultSet rows, long count) {

		/** The results after the last one. */
		static final Results NONE = new Results(null, -1);

		/**
		 * Return what a method of the statement returns, and fail as the driver does.
		 */
		@Nullable Object returned(String method) throws SQLException {
			boolean queried = this.rows != null;
			if (queried && (method.equals("executeUpdate") || method.equals("executeLargeUpdate"))) {
				throw new SQLException("A result was returned when none was expected.", "0100E");
			}
			if (!queried && method.equals("executeQuery")) {
				throw new SQLException("No results were returned by the query.", "02000");
			}
			return switch (method) {
				case "execute" -> queried;
				case "executeQuery", "getResultSet" -> this.rows;
				case "executeLargeUpdate", "getLargeUpdateCount" -> this.count;
				default -> Math.toIntExact(this.count);
			};
		}

		void close() throws SQLException {
			if (this.rows != null) {
				this.rows.close();
			}
		}

	}

}
