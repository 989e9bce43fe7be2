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
 * The dialects that there are.
 *
 * @since 0.1.0
 */
public final class JdbcDialects {

	private static final Map<String, JdbcDialect> BY_PLATFORM = new TreeMap<>();

	static {
		List.of(new PostgreSqlDialect(), new MySqlDialect("mysql"), new MySqlDialect("mariadb"), new H2Dialect(),
				new AnsiDialect())
			.forEach((dialect) -> BY_PLATFORM.put(dialect.platform(), dialect));
	}

	private JdbcDialects() {
	}

	/**
	 * Returns the dialect of a platform.
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
	 * Finds out what is at the other end of a connection.
	 * @param connection the connection
	 * @param platform what the user says it is, {@code null} to ask the database
	 * @return the dialect
	 * @throws SQLException if the database cannot be asked
	 */
	public static JdbcDialect detect(Connection connection, @Nullable String platform) throws SQLException {
		if (platform != null) {
			return of(platform);
		}
		String product = connection.getMetaData().getDatabaseProductName().toLowerCase(Locale.ROOT);
		return switch (product) {
			case "postgresql", "cockroachdb", "enterprisedb" -> of("postgresql");
			case "h2" -> of("h2");
			case "mariadb" -> of("mariadb");
			// MySQL's driver says MySQL of a MariaDB as well; the server knows better.
			case "mysql" -> of(version(connection).contains("mariadb") ? "mariadb" : "mysql");
			default -> of("ansi");
		};
	}

	private static String version(Connection connection) throws SQLException {
		try (Statement statement = connection.createStatement();
				ResultSet result = statement.executeQuery("select version()")) {
			return result.next() ? result.getString(1).toLowerCase(Locale.ROOT) : "";
		}
	}

}
