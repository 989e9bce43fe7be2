package io.leaderstarter.fencing.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;

import io.leaderstarter.ActiveTerm;
import io.leaderstarter.LeaderContext;

/**
 * The transaction that is begun by hand on a connection, and the terms that are checked
 * before it commits.
 */
final class ManualTransaction {

	private final Connection connection;

	private final FencingDataSource dataSource;

	/** Terms that were checked already in the transaction that is about to commit. */
	private Set<ActiveTerm> checked = Set.of();

	/** Terms of all calls that took part. */
	private final Set<ActiveTerm> joined = new LinkedHashSet<>();

	/** Whether there was a statement since the last commit or rollback. */
	private boolean used;

	/** Whether the database knows what it has to know of the transaction. */
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

	/** Comes before each statement. */
	void use() {
		this.used = true;
		this.joined.addAll(LeaderContext.terms());
	}

	/** Tell the database what it has to know. */
	void begin() throws SQLException {
		this.begun = true;
		this.dataSource.check().begin(this.connection, LeaderContext.terms());
	}

	void checked(Collection<ActiveTerm> terms) {
		this.checked = Set.copyOf(terms);
	}

	/** The calls that wrote may have returned before the transaction commits. */
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
