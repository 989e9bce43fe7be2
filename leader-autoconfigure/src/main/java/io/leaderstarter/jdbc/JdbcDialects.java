package io.leaderstarter.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

/**
 * All dialects, and the detection of that of a database.
 *
 * @since 0.1.0
 */
public final class JdbcDialects {

	private static final String IS_MARIADB = "select lower(version()) like '%mariadb%'";

	private static final Map<String, JdbcDialect> BY_PLATFORM = new TreeMap<>();

	static {
		List.of(new PostgreSqlDialect(), new MySqlDialect("mysql"), new MySqlDialect("mariadb"), new H2Dialect(),
				new AnsiDialect())
			.forEach((dialect) -> BY_PLATFORM.put(dialect.platform(), dialect));
	}

	private JdbcDialects() {
	}

	/**
	 * Return the dialect of a platform.
	 * @param platform name of the platform
	 * @return the dialect
	 * @throws IllegalArgumentException if there is none
	 */
	public static JdbcDialect of(String platform) {
		JdbcDialect dialect = BY_PLATFORM.get(platform.toLowerCase(Locale.ROOT));
		if (dialect == null) {
			throw new IllegalArgumentException(
					"There is no platform '%s', only %s".formatted(platform, BY_PLATFORM.keySet()));
		}
		return dialect;
	}

	/**
	 * Detect the dialect of a connection, and refuse a configured platform that
	 * contradicts it: only some of its statements would work.
	 * @param connection the connection
	 * @param platform the configured platform, {@code null} to ask the database
	 * @return the dialect
	 * @throws SQLException if the database fails
	 * @throws LeaderSchemaException if the database is another one than configured
	 */
	public static JdbcDialect detect(Connection connection, @Nullable String platform) throws SQLException {
		String product = connection.getMetaData().getDatabaseProductName();
		JdbcDialect known = known(product);
		if (platform == null) {
			if (known == null) {
				return of("ansi");
			}
			// MySQL's driver reports MySQL for MariaDB, too; the version of the server
			// does not.
			return (known.platform().equals("mysql") && isTrue(connection, IS_MARIADB)) ? of("mariadb") : known;
		}
		JdbcDialect dialect = of(platform);
		// An unknown product may be any platform, and the fallback fits all.
		if (known != null && !dialect.isAssumed() && dialect.getClass() != known.getClass()) {
			throw new LeaderSchemaException(
					"leader.schema.platform is '%s', but the database is %s".formatted(dialect.platform(), product),
					"Remove leader.schema.platform, so that the platform is detected, or set leader.schema.platform=%s."
						.formatted(known.platform()),
					null);
		}
		return dialect;
	}

	/**
	 * Return whether the one value that a query returns is true.
	 * @param connection a connection
	 * @param query the query
	 * @return whether it is true
	 * @throws SQLException if the query fails
	 */
	public static boolean isTrue(Connection connection, String query) throws SQLException {
		try (Statement statement = connection.createStatement(); ResultSet result = statement.executeQuery(query)) {
			return result.next() && result.getBoolean(1);
		}
	}

	/**
	 * Execute a statement that has no parameters.
	 * @param connection a connection
	 * @param sql the statement
	 * @throws SQLException if it fails
	 */
	public static void execute(Connection connection, String sql) throws SQLException {
		try (Statement statement = connection.createStatement()) {
			statement.execute(sql);
		}
	}

	/** Return the state by the SQL standard, translated by whichever dialect knows it. */
	static String standardState(String state, int code) {
		String standard = state;
		for (JdbcDialect dialect : BY_PLATFORM.values()) {
			standard = dialect.standardState(standard, code);
		}
		return standard;
	}

	private static @Nullable JdbcDialect known(String product) {
		return switch (product.toLowerCase(Locale.ROOT)) {
			case "postgresql", "cockroachdb", "enterprisedb" -> of("postgresql");
			case "h2" -> of("h2");
			case "mariadb" -> of("mariadb");
			case "mysql" -> of("mysql");
			default -> null;
		};
	}

}
