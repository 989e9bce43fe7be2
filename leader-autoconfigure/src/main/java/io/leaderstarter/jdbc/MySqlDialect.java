package io.leaderstarter.jdbc;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * MySQL and MariaDB.
 */
record MySqlDialect(String platform) implements JdbcDialect {

	/**
	 * MariaDB does not expose which locks a transaction holds once no other one waits for
	 * them. A transaction that delayed a raise is older than a second, and has locked
	 * rows. The times are compared in the time zone of the server.
	 */
	private static final String LONG_TRANSACTIONS = "select concat('maybe connection ', p.id, ' (user ', p.user, "
			+ "', from ', p.host, ', ', lower(p.command), ', in a transaction since ', t.trx_started, ')') "
			+ "from information_schema.innodb_trx t join information_schema.processlist p on p.id = t.trx_mysql_thread_id "
			+ "where t.trx_rows_locked > 0 and p.id <> connection_id() "
			+ "and t.trx_started <= convert_tz(utc_timestamp(), '+00:00', 'SYSTEM') - interval 1 second "
			+ "order by t.trx_started";

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
		// Only MySQL has "for share".
		return "lock in share mode";
	}

	@Override
	public @Nullable String setVariables(@Nullable String terms, @Nullable Duration idle) {
		List<String> settings = new ArrayList<>();
		if (terms != null) {
			// As hexadecimal digits it means the same whatever the session thinks of
			// backslashes.
			settings.add("@leader_terms = convert(x'%s' using utf8mb4)"
				.formatted(HexFormat.of().formatHex(terms.getBytes(StandardCharsets.UTF_8))));
		}
		if (idle != null && limitsIdleTransactions()) {
			settings.add("session idle_transaction_timeout = " + Math.max(1, idle.toSeconds()));
		}
		return settings.isEmpty() ? null : "set " + String.join(", ", settings);
	}

	@Override
	public String resetVariables() {
		return "set @leader_terms = null"
				+ (limitsIdleTransactions() ? ", session idle_transaction_timeout = default" : "");
	}

	/**
	 * Only codes distinguish what is denied: a schema, a table, a column, a privilege, a
	 * routine, and a trigger while the binary log is on.
	 */
	@Override
	public String standardState(String state, int code) {
		return switch (state) {
			case "08004", "42000", "HY000" -> switch (code) {
				case 1040 -> "53300";
				case 1044, 1142, 1143, 1227, 1370, 1419 -> "42501";
				case 1049 -> "3D000";
				case 1290 -> "25006";
				default -> state;
			};
			default -> state;
		};
	}

	@Override
	public String lockHoldersQuery(String table) {
		return this.platform.equals("mariadb") ? LONG_TRANSACTIONS : lockHolders(table);
	}

	private static String lockHolders(String table) {
		int dot = table.indexOf('.');
		return ("select distinct concat('connection ', t.processlist_id, ' (user ', t.processlist_user, ', from ', "
				+ "t.processlist_host, ', ', lower(t.processlist_command), ' for ', t.processlist_time, ' s)') "
				+ "from performance_schema.data_locks l join performance_schema.threads t on t.thread_id = l.thread_id "
				+ "where l.object_schema = %s and l.object_name = '%s' and l.lock_type = 'RECORD' "
				+ "and l.lock_status = 'GRANTED' and t.processlist_id <> connection_id()")
			.formatted((dot < 0) ? "database()" : "'" + table.substring(0, dot) + "'", table.substring(dot + 1));
	}

	/** Only MariaDB can, and only for a session. */
	private boolean limitsIdleTransactions() {
		return this.platform.equals("mariadb");
	}

}
