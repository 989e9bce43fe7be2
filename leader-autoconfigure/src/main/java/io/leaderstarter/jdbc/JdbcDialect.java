package io.leaderstarter.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

import io.leaderstarter.Leadership;
import org.jspecify.annotations.Nullable;

/**
 * What differs between databases. A new one needs one implementation and a script for
 * each table.
 *
 * @since 0.1.0
 */
public interface JdbcDialect {

	/**
	 * Return the name of the database in {@code leader.schema.platform} and the names of
	 * the scripts.
	 * @return the name
	 */
	String platform();

	/**
	 * Return an expression for the present time of the database in microseconds since
	 * 1970, as a {@code BIGINT}.
	 * <p>
	 * It must advance within a transaction where the database can do that. Microseconds
	 * are needed: truncated to milliseconds, the clock would let two members hold one
	 * lease for a part of a millisecond.
	 * @return SQL
	 */
	String nowMicros();

	/**
	 * Return whether an {@code UPDATE} can return the rows that it changed, by
	 * {@code RETURNING}.
	 * @return whether it can
	 */
	default boolean updateReturns() {
		return false;
	}

	/**
	 * Return a query whose one value is true if nothing can be written here, as on a
	 * replica.
	 * @return SQL, {@code null} if there is no such query
	 */
	default @Nullable String readOnlyQuery() {
		return null;
	}

	/**
	 * Return whether a connection is read-only according to the driver or the database.
	 * @param connection the connection
	 * @return whether it is read-only
	 * @throws SQLException if the query fails
	 */
	default boolean isReadOnly(Connection connection) throws SQLException {
		String query = readOnlyQuery();
		return connection.isReadOnly() || (query != null && JdbcDialects.isTrue(connection, query));
	}

	/**
	 * Return the clause by which a {@code SELECT} locks its rows against changes until
	 * the transaction ends, if possible with a shared lock.
	 * @return SQL
	 */
	default String sharedLock() {
		return "for update";
	}

	/**
	 * Return an expression that limits how long the current transaction may be idle
	 * before the database ends it.
	 * @param timeout how long
	 * @return SQL, {@code null} if there is no such expression
	 */
	default @Nullable String limitIdleTransaction(Duration timeout) {
		return null;
	}

	/**
	 * Return a statement that sets variables for the current transaction.
	 * @param terms the value of {@code leader.terms} or {@code @leader_terms}, which
	 * triggers read
	 * @param idle how long the transaction may be idle before the database ends it
	 * @return SQL without parameters, {@code null} if the database supports neither
	 */
	default @Nullable String setVariables(@Nullable String terms, @Nullable Duration idle) {
		return null;
	}

	/**
	 * Return a statement that resets the variables of a transaction.
	 * @return SQL, {@code null} if they end with the transaction
	 */
	default @Nullable String resetVariables() {
		return null;
	}

	/**
	 * Return a statement that fails unless a fence was raised last for a term. It locks
	 * the row of the fence as {@link #sharedLock()} does, and fails in the server, so
	 * that it can be sent together with a commit.
	 * @param table the table of the fence
	 * @param namespace the namespace of the fence
	 * @param term the term
	 * @param refusal the beginning of the failure's message
	 * @return SQL without parameters, the same whenever it is returned for a term, for
	 * caches; {@code null} if there is no such statement
	 */
	default @Nullable String demand(String table, String namespace, Leadership term, String refusal) {
		return null;
	}

	/**
	 * Return a query for the sessions that hold locks on a table, or may do so where the
	 * database does not expose that. It returns a description of each session.
	 * @param table the table
	 * @return SQL, {@code null} if there is no such query
	 */
	default @Nullable String lockHoldersQuery(String table) {
		return null;
	}

	/**
	 * Return a query whose one value is true if the database itself refuses writes in the
	 * current transaction. The flag of the driver is not enough: it may not have been
	 * sent to the server.
	 * @return SQL, {@code null} if read-only transactions are treated like others
	 */
	default @Nullable String readOnlyTransactionQuery() {
		return null;
	}

	/**
	 * Translate an SQL state or a vendor code that only this database uses to the
	 * standard SQL state. It is called for failures of all databases, as the database is
	 * unknown before there is a connection.
	 * @param state the SQL state of the failure
	 * @param code the vendor code of the failure
	 * @return the standard SQL state, or the given one
	 */
	default String standardState(String state, int code) {
		return state;
	}

	/**
	 * Return whether the dialect is a fallback whose SQL has to be verified when the
	 * application starts.
	 * @return whether it has to be verified
	 */
	default boolean isAssumed() {
		return false;
	}

}
