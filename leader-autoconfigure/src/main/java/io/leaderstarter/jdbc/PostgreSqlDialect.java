package io.leaderstarter.jdbc;

import java.time.Duration;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.leaderstarter.Leadership;
import org.jspecify.annotations.Nullable;

/**
 * PostgreSQL, and databases that are compatible with it.
 */
final class PostgreSqlDialect implements JdbcDialect {

	@Override
	public String platform() {
		return "postgresql";
	}

	@Override
	public String nowMicros() {
		// Not now(): that is the start of the transaction.
		return "(extract(epoch from clock_timestamp()) * 1000000)::bigint";
	}

	@Override
	public boolean updateReturns() {
		return true;
	}

	@Override
	public String readOnlyQuery() {
		return "select pg_is_in_recovery() or current_setting('transaction_read_only') = 'on'";
	}

	@Override
	public String sharedLock() {
		// Not "for key share": a raise passes that.
		return "for share";
	}

	@Override
	public String limitIdleTransaction(Duration timeout) {
		return "set_config('idle_in_transaction_session_timeout', '%s', true)".formatted(timeout.toMillis());
	}

	@Override
	public @Nullable String setVariables(@Nullable String terms, @Nullable Duration idle) {
		return Stream
			.of((terms != null) ? "set_config('leader.terms', %s, true)".formatted(literal(terms)) : null,
					(idle != null) ? limitIdleTransaction(idle) : null)
			.filter(Objects::nonNull)
			.collect(Collectors.joining(", ", "select ", ""));
	}

	@Override
	public String demand(String table, String namespace, Leadership term, String refusal) {
		// The cast fails with the text in its message. The time keeps the planner from
		// evaluating it in advance.
		return ("select case when coalesce((select epoch = %s and term_id = %s from %s where namespace = %s "
				+ "and role = %s %s), false) then 1 else cast(%s || clock_timestamp() as integer) end")
			.formatted(term.epoch(), literal(term.termId()), table, literal(namespace), literal(term.role()),
					sharedLock(), literal(refusal + ", at "));
	}

	/**
	 * A session that waits for a row itself has locked the tuple, as an earlier raise has
	 * that its member has given up.
	 */
	@Override
	public String lockHoldersQuery(String table) {
		return "select format('pid %s (user %s, application %s, from %s, %s since %s)', a.pid, a.usename, a.application_name, "
				+ "coalesce(host(a.client_addr), 'this machine'), a.state, a.state_change::timestamp(0)) "
				+ "from pg_locks l join pg_stat_activity a on a.pid = l.pid where l.relation = '%s'::regclass "
					.formatted(table)
				+ "and l.mode in ('RowShareLock', 'RowExclusiveLock') and a.pid <> pg_backend_pid() "
				+ "and not exists (select 1 from pg_locks w "
				+ "where w.pid = l.pid and w.relation = l.relation and w.locktype = 'tuple')";
	}

	@Override
	public String readOnlyTransactionQuery() {
		return "select current_setting('transaction_read_only') = 'on'";
	}

	/** With E the literal does not depend on standard_conforming_strings. */
	private static String literal(String text) {
		return "E'" + text.replace("\\", "\\\\").replace("'", "''") + "'";
	}

}
