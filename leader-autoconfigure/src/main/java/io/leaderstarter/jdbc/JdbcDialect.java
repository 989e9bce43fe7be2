package io.leaderstarter.jdbc;

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
	 * Returns whether sessions can tell each other something by {@code LISTEN} and
	 * {@code pg_notify}.
	 * @return whether they can
	 */
	default boolean notifies() {
		return false;
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
