package io.leaderstarter.fencing;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collection;

import io.leaderstarter.ActiveTerm;
import io.leaderstarter.jdbc.JdbcDialect;
import org.jspecify.annotations.Nullable;

/**
 * What the database has to know at the beginning of a fenced transaction, and to forget
 * at its end: for how long it may be idle, and which terms it carries for triggers.
 */
final class FenceOpening {

	private final FenceSettings settings;

	private final JdbcDialect dialect;

	FenceOpening(FenceSettings settings, JdbcDialect dialect) {
		this.settings = settings;
		this.dialect = dialect;
	}

	/**
	 * Return the statement for the beginning of a transaction.
	 * @param terms the terms of the transaction, in the order of their checks
	 * @return SQL without parameters, {@code null} if there is nothing to say
	 */
	@Nullable String begin(Collection<ActiveTerm> terms) {
		String carried = this.settings.transactions().termsCarried()
				? FenceTerms.render(this.settings.namespace(), terms) : null;
		Duration idle = this.settings.transactions().idleFromBegin() ? this.settings.transactions().idleTimeout()
				: null;
		return (terms.isEmpty() || (carried == null && idle == null)) ? null
				: this.dialect.tellTransaction(carried, idle);
	}

	/**
	 * Tell the database at the beginning of a transaction what it has to know of it.
	 * @param transaction its connection
	 * @param terms the terms of the transaction, in the order of their checks
	 */
	void begin(Connection transaction, Collection<ActiveTerm> terms) throws SQLException {
		run(transaction, begin(terms));
	}

	/**
	 * Make the session forget at the end of a transaction what it had to know.
	 */
	void end(Connection transaction) throws SQLException {
		run(transaction, end());
	}

	/**
	 * Return the statement for the end of a transaction, so that no other one inherits
	 * anything.
	 * @return SQL, {@code null} if there is nothing to say
	 */
	private @Nullable String end() {
		return this.settings.transactions().areOpened() ? this.dialect.forgetTransaction() : null;
	}

	private static void run(Connection connection, @Nullable String sql) throws SQLException {
		if (sql != null) {
			try (Statement statement = connection.createStatement()) {
				statement.execute(sql);
			}
		}
	}

}
