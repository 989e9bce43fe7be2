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
	 * Return the dialect of a database, and refuse a platform that the database does not
	 * have: it would understand some of the statements, and others not.
	 * @param connection a connection to the database
	 * @param platform the platform that the user configured, {@code null} to detect it
	 * @return the dialect
	 * @throws SQLException if the database fails
	 * @throws LeaderSchemaException if the database has another platform
	 */
	public static JdbcDialect detect(Connection connection, @Nullable String platform) throws SQLException {
		String product = connection.getMetaData().getDatabaseProductName();
		JdbcDialect known = known(product);
		if (platform == null) {
			// MySQL's driver says MySQL of a MariaDB as well; the server knows better.
			return (known == null) ? of("ansi")
					: (known.platform().equals("mysql") && version(connection).contains("mariadb")) ? of("mariadb")
							: known;
		}
		JdbcDialect dialect = of(platform);
		// The platform of an unknown product is up to the user, and the standard is for
		// all.
		if (known != null && !dialect.isAssumed() && dialect.getClass() != known.getClass()) {
			throw new LeaderSchemaException(
					"leader.schema.platform is '%s', but the database is %s".formatted(dialect.platform(), product),
					"Remove leader.schema.platform, so that it is detected, or set leader.schema.platform=%s."
						.formatted(known.platform()),
					null);
		}
		return dialect;
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

	private static String version(Connection connection) throws SQLException {
		try (Statement statement = connection.createStatement();
				ResultSet result = statement.executeQuery("select version()")) {
			return result.next() ? result.getString(1).toLowerCase(Locale.ROOT) : "";
		}
	}

}
