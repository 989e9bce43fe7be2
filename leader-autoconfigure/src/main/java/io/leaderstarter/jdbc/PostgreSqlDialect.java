package io.leaderstarter.jdbc;

import java.time.Duration;

/**
 * PostgreSQL and what speaks its language.
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
	public boolean notifies() {
		return true;
	}

	@Override
	public String sharedLock() {
		// Not "for key share": a raise passes that.
		return "for share";
	}

	@Override
	public String limitIdleTransaction(Duration timeout) {
		return "set_config('idle_in_transaction_session_timeout', '%d', true)".formatted(timeout.toMillis());
	}

	@Override
	public String lockHoldersQuery(String table) {
		return "select format('pid %s (user %s, application %s, from %s, %s since %s)', a.pid, a.usename, a.application_name, "
				+ "coalesce(host(a.client_addr), 'this machine'), a.state, a.state_change::timestamp(0)) "
				+ "from pg_locks l join pg_stat_activity a on a.pid = l.pid where l.relation = '%s'::regclass "
					.formatted(table)
				+ "and l.mode in ('RowShareLock', 'RowExclusiveLock') and a.pid <> pg_backend_pid()";
	}

	@Override
	public String readOnlyTransactionQuery() {
		return "select current_setting('transaction_read_only') = 'on'";
	}

}
