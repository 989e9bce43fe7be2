package io.leaderstarter.jdbc;

/**
 * H2. Its clock stands still within a transaction, so nothing of ours is done in one.
 */
final class H2Dialect implements JdbcDialect {

	@Override
	public String platform() {
		return "h2";
	}

	@Override
	public String nowMicros() {
		return "cast(extract(epoch from current_timestamp(6)) * 1000000 as bigint)";
	}

}
