package io.leaderstarter.fencing;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

import io.leaderstarter.ActiveTerm;
import io.leaderstarter.Leadership;
import io.leaderstarter.jdbc.JdbcDialect;
import org.jspecify.annotations.Nullable;

/**
 * The variables of a fenced transaction in the database: how long it may be idle, and
 * which terms it carries for triggers.
 *
 * @param settings how fences are kept
 * @param dialect the dialect of the database
 */
record FenceOpening(FenceSettings settings, JdbcDialect dialect) {

	/**
	 * Return the statement for the beginning of a transaction.
	 * @param terms the terms of the transaction, in the order of their checks
	 * @return SQL without parameters, {@code null} if there is nothing to set
	 */
	@Nullable String begin(Collection<ActiveTerm> terms) {
		String carried = this.settings.transactions().termsCarried() ? render(this.settings.namespace(), terms) : null;
		Duration idle = this.settings.transactions().idleFromBegin() ? this.settings.transactions().idleTimeout()
				: null;
		return (terms.isEmpty() || (carried == null && idle == null)) ? null : this.dialect.setVariables(carried, idle);
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
	 * Reset the variables at the end of a transaction, so that the next one on the
	 * connection inherits nothing.
	 */
	void end(Connection transaction) throws SQLException {
		run(transaction, this.settings.transactions().areOpened() ? this.dialect.resetVariables() : null);
	}

	private static void run(Connection connection, @Nullable String sql) throws SQLException {
		if (sql != null) {
			try (Statement statement = connection.createStatement()) {
				statement.execute(sql);
			}
		}
	}

	/**
	 * Render terms for the triggers of guarded tables: a line for each, in the given
	 * order, with tabs between its epoch, term id, namespace and role.
	 */
	static String render(String namespace, Collection<ActiveTerm> terms) {
		return terms.stream()
			.map(ActiveTerm::leadership)
			.map((leadership) -> line(namespace, leadership))
			.collect(Collectors.joining("\n"));
	}

	private static String line(String namespace, Leadership leadership) {
		List<String> parts = List.of(Long.toString(leadership.epoch()), leadership.termId(), namespace,
				leadership.role());
		if (parts.stream().anyMatch((part) -> part.chars().anyMatch(Character::isISOControl))) {
			// The text could be read as more terms than there are.
			throw new IllegalArgumentException("Neither a namespace nor a role may contain control characters");
		}
		return String.join("\t", parts);
	}

}
