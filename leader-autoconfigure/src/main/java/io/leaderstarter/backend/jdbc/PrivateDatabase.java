package io.leaderstarter.backend.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Detects databases that no other process can connect to, such as the one that Spring
 * Boot creates if none is configured. Leases there exclude no other member.
 */
final class PrivateDatabase {

	private static final List<String> URLS = List.of("jdbc:h2:mem:", "jdbc:hsqldb:mem:", "jdbc:derby:memory:",
			"jdbc:sqlite::memory:");

	private static final Log logger = LogFactory.getLog(PrivateDatabase.class);

	private PrivateDatabase() {
	}

	/**
	 * Warn if the database is private.
	 */
	static void warn(Connection connection) throws SQLException {
		String url = connection.getMetaData().getURL();
		if (isPrivate(url)) {
			logger
				.warn(("The database of the leases (%s) is in the memory of this process. No other process shares it, "
						+ "so every instance of the application leads all of its roles, each with the same epochs. "
						+ "Set spring.datasource.url to a database that all instances share, mark a shared DataSource bean @LeaderDataSource, "
						+ "or set leader.backend to zookeeper or etcd. If there is only ever one instance, set leader.backend=local")
					.formatted(DatabaseUrl.withoutCredentials(url)));
		}
	}

	static boolean isPrivate(@Nullable String url) {
		return url != null && URLS.stream().anyMatch(url.toLowerCase(Locale.ROOT)::startsWith);
	}

}
