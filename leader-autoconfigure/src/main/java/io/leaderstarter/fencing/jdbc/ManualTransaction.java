package io.leaderstarter.fencing.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;

import io.leaderstarter.ActiveTerm;
import io.leaderstarter.LeaderContext;

/**
 * A transaction that is begun on a connection without Spring, and the terms that are
 * checked before it commits.
 */
final class ManualTransaction {

	private final Connection connection;

	private final FencingDataSource dataSource;

	/** Terms that were checked already before the commit. */
	private Set<ActiveTerm> checked = Set.of();

	/** Terms of all calls that took part. */
	private final Set<ActiveTerm> joined = new LinkedHashSet<>();

	/** Whether there was a statement since the last commit or rollback. */
	private boolean used;

	/** Whether the variables of the transaction are set in the database. */
	private boolean begun;

	ManualTransaction(Connection connection, FencingDataSource dataSource) {
		this.connection = connection;
		this.dataSource = dataSource;
	}

	boolean isUsed() {
		return this.used;
	}

	boolean isBegun() {
		return this.begun;
	}

	/** Called before each statement. */
	void use() {
		this.used = true;
		this.joined.addAll(LeaderContext.terms());
	}

	/** Set the variables of the transaction in the database. */
	void begin() throws SQLException {
		this.begun = true;
		this.dataSource.check().begin(this.connection, LeaderContext.terms());
	}

	void checked(Collection<ActiveTerm> terms) {
		this.checked = Set.copyOf(terms);
	}

	/** Check the terms of all calls that took part, which may have returned already. */
	void checkCommit() {
		Set<ActiveTerm> before = this.checked;
		this.checked = Set.of();
		Set<ActiveTerm> terms = new LinkedHashSet<>(this.joined);
		terms.addAll(LeaderContext.terms());
		if ((this.dataSource.isCheckNeeded() || !terms.isEmpty()) && !before.containsAll(terms)) {
			this.dataSource.check().check(this.connection, terms);
		}
	}

	void ended() throws SQLException {
		this.checked = Set.of();
		this.joined.clear();
		this.used = false;
		if (this.begun) {
			this.begun = false;
			this.dataSource.check().end(this.connection);
		}
	}

}
