package io.leaderstarter.backend.jdbc;

import java.util.regex.Pattern;

import io.leaderstarter.election.spi.SafeText;

/**
 * Shows the URL of a database without what may be credentials.
 */
final class DatabaseUrl {

	/** As Oracle has it: {@code user/password@} in front of the address. */
	private static final Pattern LOGIN = Pattern.compile(":[^:/@]+/[^/@]+@");

	private DatabaseUrl() {
	}

	/** There may be a password among its parameters, too. */
	static String shown(String url) {
		return LOGIN.matcher(SafeText.withoutSecrets(url.split("[;?]", 2)[0])).replaceAll(":***@");
	}

}
