package io.leaderstarter.fencing;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.leaderstarter.Leadership;
import io.leaderstarter.jdbc.JdbcDialect;
import org.jspecify.annotations.Nullable;

/**
 * The statements on the fence table.
 */
final class FenceSql {

	static final List<String> COLUMNS = List.of("namespace", "role", "epoch", "tenure", "authority", "raised_at_us");

	private final String table;

	private final JdbcDialect dialect;

	/** Made once, as every transaction needs it. */
	private final String check;

	FenceSql(String table, JdbcDialect dialect, Duration idleTimeout) {
		this.table = table;
		this.dialect = dialect;
		String limit = dialect.limitIdleTransaction(idleTimeout);
		this.check = "select epoch, tenure%s from %s where namespace = ? and role = ? %s"
			.formatted((limit != null) ? ", " + limit : "", table, dialect.sharedLock());
	}

	/** Parameters: namespace, roles. */
	String read(int roles) {
		return "select role, epoch, tenure, authority from %s where namespace = ? and role in (%s)"
			.formatted(this.table, String.join(", ", Collections.nCopies(roles, "?")));
	}

	/** Parameters: namespace, role, authority. */
	String seed() {
		return "insert into %s (namespace, role, epoch, tenure, authority, raised_at_us) values (?, ?, 0, '', ?, 0)"
			.formatted(this.table);
	}

	/**
	 * Only ever raises. A raise of an earlier leader that arrives late changes nothing.
	 * Parameters: epoch, tenure, namespace, role, epoch, authority.
	 */
	String raise() {
		return "update %s set epoch = ?, tenure = ?, raised_at_us = %s where namespace = ? and role = ? and epoch < ? and authority = ?"
			.formatted(this.table, this.dialect.nowMicros());
	}

	/**
	 * Lets a fence belong to another store. Parameters: authority, namespace, role,
	 * epoch, authority before.
	 */
	String adopt() {
		return "update %s set authority = ? where namespace = ? and role = ? and epoch = ? and authority = ?"
			.formatted(this.table);
	}

	/**
	 * Fails in the server unless a fence was raised last for a term, under the same lock
	 * as {@link #check()}; {@code null} if the database has no such statement.
	 */
	@Nullable String demand(String namespace, Leadership leadership) {
		return this.dialect.demand(this.table, ordered("namespace", namespace, "role", leadership.role()),
				ordered("epoch", Long.toString(leadership.epoch()), "tenure", leadership.tenure()),
				refusal(leadership));
	}

	/** What the failure of a demand has in its message. */
	static String refusal(Leadership leadership) {
		return "leader_fence refuses epoch %d, tenure %s".formatted(leadership.epoch(), leadership.tenure());
	}

	/**
	 * Reads the row under a lock that a raise has to wait for and that lasts until the
	 * transaction ends. Without that lock a raise could come between the check and the
	 * commit. Parameters: namespace, role.
	 */
	String check() {
		return this.check;
	}

	/** The same statement for the same term, for caches of prepared ones. */
	private static Map<String, String> ordered(String one, String its, String other, String others) {
		Map<String, String> ordered = new LinkedHashMap<>();
		ordered.put(one, its);
		ordered.put(other, others);
		return ordered;
	}

}
