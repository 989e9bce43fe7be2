package io.leaderstarter.fencing.trigger;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.leaderstarter.jdbc.JdbcDialects;
import io.leaderstarter.jdbc.LeaderTable;
import org.jspecify.annotations.Nullable;

/**
 * Triggers of MySQL and MariaDB: three for each table, which call one procedure in the
 * schema of the fence. Triggers and the procedure run with the rights of their creator,
 * so that writers need none on the fence.
 */
final class MySqlTriggers implements TriggerDialect {

	private static final int LONGEST_NAME = 64;

	private static final int LOCK_SECONDS = 5;

	private static final String DELIMITER = "//";

	private final MySqlTableName fence;

	private final String guard;

	MySqlTriggers(String fence) {
		this.fence = MySqlTableName.parse(fence);
		this.guard = this.fence.name() + "_guard";
	}

	@Override
	public boolean exists(Connection connection, String table) throws SQLException {
		MySqlTableName name = MySqlTableName.parse(table);
		return engine(connection, name) != null;
	}

	@Override
	public void install(Connection connection, String table) throws SQLException {
		MySqlTableName name = MySqlTableName.parse(table);
		String engine = engine(connection, name);
		if (engine == null) {
			throw new SQLException("it does not exist, or is not visible to this user", "42S02");
		}
		if (!"InnoDB".equals(engine)) {
			throw new SQLException("only a table of InnoDB can take back what was refused, and this is of " + engine,
					"42000");
		}
		MySqlTableName home = (this.fence.schema() != null) ? this.fence
				: new MySqlTableName(value(connection, "select database()"), this.fence.name());
		// Otherwise replicas of the application that start together run into conflicts.
		String lock = "select get_lock('%s', %s)".formatted(this.guard, LOCK_SECONDS);
		if (!"1".equals(value(connection, lock))) {
			throw new SQLException("another member has held the lock for that for %d s".formatted(LOCK_SECONDS));
		}
		try {
			if (value(connection,
					"select 1 from information_schema.routines where routine_schema = ? and routine_name = ?",
					home.schema(), this.guard) == null) {
				JdbcDialects.execute(connection, procedure(home));
			}
			for (Map.Entry<String, String> trigger : triggers(name, home).entrySet()) {
				if (value(connection,
						"select 1 from information_schema.triggers where trigger_schema = coalesce(?, database()) and trigger_name = ?",
						name.schema(), trigger.getKey()) == null) {
					JdbcDialects.execute(connection, trigger.getValue());
				}
			}
		}
		finally {
			value(connection, "select release_lock('%s')".formatted(this.guard));
		}
	}

	@Override
	public void uninstall(Connection connection, String table) throws SQLException {
		for (String statement : drops(table)) {
			JdbcDialects.execute(connection, statement);
		}
	}

	@Override
	public String installScript(String table) {
		if (table.contains(DELIMITER)) {
			throw new IllegalArgumentException(
					"The name of a table in a script must not contain what separates its statements, " + DELIMITER);
		}
		MySqlTableName name = MySqlTableName.parse(table);
		if (name.schema() != null && this.fence.schema() == null) {
			throw new IllegalArgumentException(
					"In a script for a table with a schema, the prefix of the fence's name needs its schema too");
		}
		List<String> statements = new ArrayList<>();
		statements.add(procedure(this.fence).replaceFirst("create procedure", "create procedure if not exists"));
		statements.addAll(triggers(name, this.fence).values());
		return "delimiter %1$s\n%2$s %1$s\ndelimiter ;\n".formatted(DELIMITER,
				String.join(" " + DELIMITER + "\n", statements));
	}

	@Override
	public String uninstallScript(String table) {
		return String.join(";\n", drops(table)) + ";\n";
	}

	private String procedure(MySqlTableName home) {
		return LeaderTable.read(TriggerDialect.class, "guard-mysql.sql")
			.strip()
			.replaceFirst("leader_fence_guard", home.sql(this.guard))
			.replace("from leader_fence", "from " + home.sql());
	}

	/**
	 * Statements that create triggers, by the triggers' names.
	 */
	private Map<String, String> triggers(MySqlTableName table, MySqlTableName home) {
		Map<String, String> triggers = new LinkedHashMap<>();
		for (String event : List.of("insert", "update", "delete")) {
			String name = triggerName(event, table);
			triggers.put(name, "create trigger %s before %s on %s for each row call %s()".formatted(table.sql(name),
					event, table.sql(), home.sql(this.guard)));
		}
		return triggers;
	}

	private List<String> drops(String table) {
		MySqlTableName name = MySqlTableName.parse(table);
		return triggers(name, this.fence).keySet()
			.stream()
			.map((trigger) -> "drop trigger if exists " + name.sql(trigger))
			.toList();
	}

	/**
	 * Name of triggers are unique in a schema. A long one is truncated, with a hash of
	 * the whole name.
	 */
	private String triggerName(String event, MySqlTableName table) {
		String name = "%s_%s_%s".formatted(this.guard, event, table.name());
		return (name.length() <= LONGEST_NAME) ? name
				: "%s_%08x".formatted(name.substring(0, LONGEST_NAME - 9), name.hashCode());
	}

	private static @Nullable String engine(Connection connection, MySqlTableName table) throws SQLException {
		return value(connection,
				"select coalesce(engine, table_type) from information_schema.tables where table_schema = coalesce(?, database()) and table_name = ?",
				table.schema(), table.name());
	}

	private static @Nullable String value(Connection connection, String query, @Nullable String... parameters)
			throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(query)) {
			for (int index = 0; index < parameters.length; index++) {
				statement.setString(index + 1, parameters[index]);
			}
			try (ResultSet result = statement.executeQuery()) {
				return result.next() ? result.getString(1) : null;
			}
		}
	}

}
