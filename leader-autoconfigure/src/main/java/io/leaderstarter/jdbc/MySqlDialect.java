package io.leaderstarter.jdbc;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

import org.jspecify.annotations.Nullable;

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

	@Override
	public @Nullable String tellTransaction(@Nullable String terms, @Nullable Duration idle) {
		List<String> told = new ArrayList<>();
		if (terms != null) {
			// As hexadecimal digits it means the same whatever the session thinks of
			// backslashes.
			told.add("@leader_terms = convert(x'%s' using utf8mb4)"
				.formatted(HexFormat.of().formatHex(terms.getBytes(StandardCharsets.UTF_8))));
		}
		if (idle != null && limitsIdleTransactions()) {
			told.add("session idle_transaction_timeout = " + Math.max(1, idle.toSeconds()));
		}
		return told.isEmpty() ? null : "set " + String.join(", ", told);
	}

	@Override
	public String forgetTransaction() {
		return "set @leader_terms = null"
				+ (limitsIdleTransactions() ? ", session idle_transaction_timeout = default" : "");
	}

	/** Only MariaDB can, and only for a session. */
	private boolean limitsIdleTransactions() {
		return this.platform.equals("mariadb");
	}

}
