package io.leaderstarter.jdbc;

/**
 * MySQL and MariaDB, as far as they agree.
 */
final class MySqlDialect implements JdbcDialect {

	private final String platform;

	MySqlDialect(String platform) {
		this.platform = platform;
	}

	@Override
	public String platform() {
		return this.platform;
	}

	@Override
	public String nowMicros() {
		// UTC, as local time has an hour twice in autumn.
		return "timestampdiff(microsecond, '1970-01-01', utc_timestamp(6))";
	}

	@Override
	public String readOnlyQuery() {
		return "select @@global.read_only = 1";
	}

	@Override
	public String sharedLock() {
		// Both know it; only MySQL knows "for share".
		return "lock in share mode";
	}

}
