package io.leaderstarter.backend.jdbc;

import java.util.regex.Pattern;

import io.leaderstarter.election.spi.SafeText;

/**
 * The URL of a database without what may be credentials.
 */
final class DatabaseUrl {

	/** {@code user/password@} in front of the address, as in URLs of Oracle. */
	private static final Pattern LOGIN = Pattern.compile(":[^:/@]+/[^/@]+@");

	private DatabaseUrl() {
	}

	/** Its parameters are removed, as they may contain a password. */
	static String withoutCredentials(String url) {
		return LOGIN.matcher(SafeText.withoutSecrets(url.split("[;?]", 2)[0])).replaceAll(":***@");
	}

}
