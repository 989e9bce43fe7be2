package io.leaderstarter.backend.jdbc;

import java.util.Collections;
import java.util.List;

import io.leaderstarter.jdbc.JdbcDialect;

/**
 * The statements on the lease table. Each is complete in itself and is run alone.
 */
final class LeaseSql {

	static final List<String> COLUMNS = List.of("namespace", "role", "epoch", "holder", "term_id", "acquired_at_us",
			"expires_at_us", "ttl_us");

	private final String table;

	private final String now;

	private final boolean updateReturns;

	LeaseSql(String table, JdbcDialect dialect) {
		this.table = table;
		this.now = dialect.nowMicros();
		this.updateReturns = dialect.updateReturns();
	}

	/** Parameters: namespace, roles. */
	String observe(int roles) {
		return "select role, epoch, holder, term_id, expires_at_us, ttl_us, %s as now_us from %s where namespace = ? and role in %s"
			.formatted(this.now, this.table, list(roles));
	}

	/** Parameters: namespace, role, ttl. */
	String seed() {
		return "insert into %s (namespace, role, epoch, acquired_at_us, expires_at_us, ttl_us) values (?, ?, 0, 0, 0, ?)"
			.formatted(this.table);
	}

	/**
	 * Takes one role if it is as it was seen. A request that arrives late finds another
	 * epoch. One whose lease was renewed since finds another expiry, even if the clock
	 * was set back and forth and it has run out again. Who holds the role does not
	 * matter: a lease whose holder somebody removed may still be relied on, and one that
	 * was released has an expiry of zero. Parameters: holder, term id, ttl, ttl,
	 * namespace, role, epoch seen, expiry seen, expiry of the lease that is over whatever
	 * the clock says.
	 */
	String acquire() {
		return ("update %s set epoch = epoch + 1, holder = ?, term_id = ?, acquired_at_us = %s, expires_at_us = %s + ?, ttl_us = ? "
				+ "where namespace = ? and role = ? and epoch = ? and expires_at_us = ? and (expires_at_us <= %s or expires_at_us = ?)")
			.formatted(this.table, this.now, this.now, this.now);
	}

	/**
	 * Prolongs what has not run out. A term id is never used for two terms, so three
	 * lists find the same rows as a list of triples, which not every database has an
	 * index for.
	 * <p>
	 * The ttl is given, and not what the row says: the member counts on its own, whatever
	 * somebody wrote there meanwhile. Parameters: ttl, ttl, namespace, holder, roles,
	 * term ids, epochs.
	 */
	String renew(int leases) {
		return "update %s set expires_at_us = %s + ?, ttl_us = ? where %s and expires_at_us > %s%s".formatted(
				this.table, this.now, heldByMe(leases), this.now,
				this.updateReturns ? " returning role, epoch, term_id" : "");
	}

	boolean renewTells() {
		return this.updateReturns;
	}

	/**
	 * Which of the leases have not run out. Parameters: namespace, holder, roles, term
	 * ids, epochs.
	 */
	String held(int leases) {
		return "select role, epoch, term_id from %s where %s and expires_at_us > %s".formatted(this.table,
				heldByMe(leases), this.now);
	}

	/**
	 * Frees leases and keeps their epochs. Parameters: namespace, holder, roles, term
	 * ids, epochs.
	 */
	String release(int leases) {
		return "update %s set holder = null, term_id = null, expires_at_us = 0 where %s".formatted(this.table,
				heldByMe(leases));
	}

	private static String heldByMe(int leases) {
		return "namespace = ? and holder = ? and role in %1$s and term_id in %1$s and epoch in %1$s"
			.formatted(list(leases));
	}

	private static String list(int size) {
		return "(" + String.join(", ", Collections.nCopies(size, "?")) + ")";
	}

}
