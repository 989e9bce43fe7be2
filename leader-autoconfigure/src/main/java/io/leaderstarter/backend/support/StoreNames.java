package io.leaderstarter.backend.support;

import java.net.URLDecoder;
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
		StringBuilder encoded = new StringBuilder();
		for (byte next : name.getBytes(StandardCharsets.UTF_8)) {
			char character = (char) (next & 0xff);
			if (isPlain(character)) {
				encoded.append(character);
			}
			else {
				encoded.append("%%%02X".formatted((int) character));
			}
		}
		return encoded.toString();
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

	private static boolean isPlain(char character) {
		return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z')
				|| (character >= '0' && character <= '9') || "._:-".indexOf(character) >= 0;
	}

}
