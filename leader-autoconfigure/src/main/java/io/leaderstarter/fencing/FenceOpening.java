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
 * The variables of a fenced transaction in the database: how long it may be idle, and
 * which terms it carries for triggers.
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
	 * @return SQL without parameters, {@code null} if there is nothing to set
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
	 * Set the variables at the beginning of a transaction.
	 * @param transaction its connection
	 * @param terms the terms of the transaction, in the order of their checks
	 */
	void begin(Connection transaction, Collection<ActiveTerm> terms) throws SQLException {
		run(transaction, begin(terms));
	}

	/**
	 * Reset the variables at the end of a transaction.
	 */
	void end(Connection transaction) throws SQLException {
		run(transaction, end());
	}

	/**
	 * Return the statement for the end of a transaction, so that the next one on the
	 * connection inherits nothing.
	 * @return SQL, {@code null} if there is nothing to reset
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
