package io.leaderstarter.jdbc;

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

}
