package io.leaderstarter.backend.support;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/**
 * Encodes names of roles, namespaces and members, so that each can be one element of a
 * path or a key. An encoded name contains neither {@code /} nor {@code @}, so that other
 * names of a backend can begin with {@code @}.
 * <p>
 * Internal: not for applications.
 *
 * @since 0.1.0
 */
public final class StoreNames {

	private StoreNames() {
	}

	/**
	 * Encode a name. Different names stay different.
	 * @param name any text
	 * @return ASCII letters and digits, {@code ._:-} and {@code %} with two digits
	 */
	public static String encode(String name) {
		return URLEncoder.encode(name, StandardCharsets.UTF_8)
			.replace("+", "%20")
			.replace("*", "%2A")
			.replace("%3A", ":");
	}

	/**
	 * Return the name that was encoded.
	 * @param encoded a name that may be encoded
	 * @return the name
	 * @throws IllegalArgumentException if it is not encoded
	 */
	public static String decode(String encoded) {
		return URLDecoder.decode(encoded, StandardCharsets.UTF_8);
	}

}
