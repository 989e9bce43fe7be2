package io.leaderstarter.backend.jdbc;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

import io.leaderstarter.election.spi.SafeText;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * What the URL of a database tells.
 */
final class DatabaseUrl {

	private static final Log logger = LogFactory.getLog(DatabaseUrl.class);

	/** {@code user/password@} in front of the address, as in URLs of Oracle. */
	private static final Pattern LOGIN = Pattern.compile(":[^:/@]+/[^/@]+@");

	/**
	 * Databases that no other process can connect to, such as the one that Spring Boot
	 * creates if none is configured. Leases there exclude no other member.
	 */
	private static final List<String> PRIVATE = List.of("jdbc:h2:mem:", "jdbc:hsqldb:mem:", "jdbc:derby:memory:",
			"jdbc:sqlite::memory:");

	private DatabaseUrl() {
	}

	/** Its parameters are removed, as they may contain a password. */
	static String withoutCredentials(String url) {
		return LOGIN.matcher(SafeText.withoutSecrets(url.split("[;?]", 2)[0])).replaceAll(":***@");
	}

	static void warnIfPrivate(String url) {
		if (isPrivate(url)) {
			logger
				.warn(("The database of the leases (%s) is in the memory of this process. No other process shares it, "
						+ "so every instance of the application leads all of its roles, each with the same epochs. "
						+ "Set spring.datasource.url to a database that all instances share, mark a shared DataSource bean @LeaderDataSource, "
						+ "or set leader.backend to zookeeper or etcd. If there is only ever one instance, set leader.backend=local")
					.formatted(withoutCredentials(url)));
		}
	}

	static boolean isPrivate(String url) {
		return PRIVATE.stream().anyMatch(url.toLowerCase(Locale.ROOT)::startsWith);
	}

}
