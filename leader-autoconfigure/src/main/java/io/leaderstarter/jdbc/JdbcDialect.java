package io.leaderstarter.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * What one kind of database does differently.
 *
 * @since 0.1.0
 */
public interface JdbcDialect {

	/**
	 * Returns what {@code leader.jdbc.platform} and the schema scripts call the database.
	 * @return the name
	 */
	String platform();

	/**
	 * Returns an expression for the present time of the database in microseconds since
	 * 1970, as a {@code BIGINT}.
	 * <p>
	 * It must go on within a transaction where the database can do that. Microseconds are
	 * needed: a clock that is cut to milliseconds lets two members hold one lease for a
	 * part of a millisecond.
	 * @return SQL
	 */
	String nowMicros();

	/**
	 * Returns whether an {@code UPDATE} can tell the rows that it changed by
	 * {@code RETURNING}.
	 * @return whether it can
	 */
	default boolean updateReturns() {
		return false;
	}

	/**
	 * Returns a query whose one value is true if nothing can be written here, as on a
	 * replica.
	 * @return SQL, {@code null} if there is no such query
	 */
	default @Nullable String readOnlyQuery() {
		return null;
	}

	/**
	 * Return whether nothing can be written by a connection, as the driver or the
	 * database says.
	 * @param connection the connection
	 * @return whether it is read-only
	 * @throws SQLException if the database cannot be asked
	 */
	default boolean isReadOnly(Connection connection) throws SQLException {
		String query = readOnlyQuery();
		if (connection.isReadOnly() || query == null) {
			return connection.isReadOnly();
		}
		try (Statement statement = connection.createStatement(); ResultSet result = statement.executeQuery(query)) {
			return result.next() && result.getBoolean(1);
		}
	}

	/**
	 * Returns what makes a {@code SELECT} lock its rows against changes until the
	 * transaction ends, if possible together with others that do the same.
	 * @return SQL
	 */
	default String sharedLock() {
		return "for update";
	}

	/**
	 * Returns an expression that makes the database end the present transaction if
	 * nothing is done in it for so long.
	 * @param timeout how long
	 * @return SQL, {@code null} if there is no such expression
	 */
	default @Nullable String limitIdleTransaction(Duration timeout) {
		return null;
	}

	/**
	 * Returns a statement that tells the present transaction something.
	 * @param terms what triggers know as {@code leader.terms} or {@code @leader_terms}
	 * @param idle how long it may do nothing until the database ends it
	 * @return SQL without parameters, {@code null} if the database listens to neither
	 */
	default @Nullable String tellTransaction(@Nullable String terms, @Nullable Duration idle) {
		return null;
	}

	/**
	 * Returns a statement that makes the session forget what a transaction was told.
	 * @return SQL, {@code null} if it forgets by itself
	 */
	default @Nullable String forgetTransaction() {
		return null;
	}

	/**
	 * Returns a statement that fails unless a row is there and has the expected values.
	 * It locks the row as {@link #sharedLock()} does, and fails in the server, so it can
	 * be sent together with a commit.
	 * @param table the table
	 * @param key values of the columns that the row is found by
	 * @param expected values that other columns must have
	 * @param refusal what the message of the failure begins its text with
	 * @return SQL without parameters, {@code null} if there is no such statement
	 */
	default @Nullable String demand(String table, Map<String, String> key, Map<String, String> expected,
			String refusal) {
		return null;
	}

	/**
	 * Returns a query for who holds locks on a table, or may do so where the database
	 * does not tell, one line of text for each session.
	 * @param table the table
	 * @return SQL, {@code null} if there is no such query
	 */
	default @Nullable String lockHoldersQuery(String table) {
		return null;
	}

	/**
	 * Returns a query whose one value is true if the database itself refuses writes in
	 * the present transaction. What the driver says of a connection is not enough: it may
	 * not have told the server.
	 * @return SQL, {@code null} if such transactions are to be treated like others
	 */
	default @Nullable String readOnlyTransactionQuery() {
		return null;
	}

	/**
	 * Returns whether sessions can tell each other something by {@code LISTEN} and
	 * {@code pg_notify}.
	 * @return whether they can
	 */
	default boolean notifies() {
		return false;
	}

	/**
	 * Return the state by the SQL standard of a failure for which this database uses a
	 * state or a code of its own. It is asked about failures of all databases, as nobody
	 * knows which one it is before there is a connection.
	 * @param state the SQL state of the failure
	 * @param code the vendor code of the failure
	 * @return the state that {@link SqlErrors} knows, the same one if there is no other
	 */
	default String standardState(String state, int code) {
		return state;
	}

	/**
	 * Returns whether the expression for the time is only assumed to be right, so that it
	 * has to be tried when the application starts.
	 * @return whether to try it
	 */
	default boolean isAssumed() {
		return false;
	}

}
