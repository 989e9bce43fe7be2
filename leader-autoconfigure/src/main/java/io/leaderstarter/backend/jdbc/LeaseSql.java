package io.leaderstarter.backend.jdbc;

import java.util.Collections;
import java.util.List;

import io.leaderstarter.jdbc.JdbcDialect;

/**
 * The statements on the lease table. Each runs in autocommit mode.
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
	 * Take one role if it has not changed since it was observed. A late request finds
	 * another epoch. If the lease was renewed since, it finds another expiry, even if the
	 * clock was set back and forth and the lease has expired again. The holder does not
	 * matter: a lease whose holder was removed by hand may still be relied on, and a
	 * released one has an expiry of zero. Parameters: holder, term id, ttl, ttl,
	 * namespace, role, observed epoch, observed expiry, expiry of a lease that is over by
	 * any clock.
	 */
	String acquire() {
		return ("update %s set epoch = epoch + 1, holder = ?, term_id = ?, acquired_at_us = %s, expires_at_us = %s + ?, ttl_us = ? "
				+ "where namespace = ? and role = ? and epoch = ? and expires_at_us = ? and (expires_at_us <= %s or expires_at_us = ?)")
			.formatted(this.table, this.now, this.now, this.now);
	}

	/**
	 * Renew leases that have not expired. A term id is never used for two terms, so three
	 * lists find the same rows as a list of triples, for which not every database uses an
	 * index.
	 * <p>
	 * The ttl is a parameter and not that of the row: the member relies on its own, even
	 * if the row was changed by hand. Parameters: ttl, ttl, namespace, holder, roles,
	 * term ids, epochs.
	 */
	String renew(int leases) {
		return "update %s set expires_at_us = %s + ?, ttl_us = ? where %s and expires_at_us > %s%s".formatted(
				this.table, this.now, heldByMe(leases), this.now,
				this.updateReturns ? " returning role, epoch, term_id" : "");
	}

	boolean renewReturns() {
		return this.updateReturns;
	}

	/**
	 * Return those of the leases that have not expired. Parameters: namespace, holder,
	 * roles, term ids, epochs.
	 */
	String held(int leases) {
		return "select role, epoch, term_id from %s where %s and expires_at_us > %s".formatted(this.table,
				heldByMe(leases), this.now);
	}

	/**
	 * Free leases and keep their epochs. Parameters: namespace, holder, roles, term ids,
	 * epochs.
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
