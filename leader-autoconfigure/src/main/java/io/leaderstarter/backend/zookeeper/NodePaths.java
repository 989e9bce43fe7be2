package io.leaderstarter.backend.zookeeper;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;

/**
 * Where things are. Names of ours begin with {@code @}, which no encoded name contains.
 *
 * @param base the node that everything is below
 * @param namespace the node of the roles
 */
record NodePaths(String base, String namespace) {

	private static final String LEADER = "/leader";

	static NodePaths of(String base, String namespace) {
		return new NodePaths(base, base + "/" + encode(namespace));
	}

	/** The node that tells this store from others. */
	String authority() {
		return this.base + "/@authority";
	}

	/** A node that is never seen, as it is deleted with the request that makes it. */
	String probe() {
		return this.namespace + "/@probe";
	}

	/** The node that keeps the epoch of a role, for ever. */
	String role(String role) {
		return this.namespace + "/" + encode(role);
	}

	/** The node that lives as long as the session of the leader. */
	String leader(String role) {
		return role(role) + LEADER;
	}

	/** The node that the members are below. */
	String members() {
		return this.namespace + "/@members";
	}

	static boolean isLeader(String path) {
		return path.endsWith(LEADER);
	}

	/**
	 * Makes a name that a node may have, and that no other name becomes.
	 */
	static String encode(String name) {
		StringBuilder encoded = new StringBuilder();
		for (byte next : name.getBytes(StandardCharsets.UTF_8)) {
			char character = (char) (next & 0xff);
			boolean first = encoded.isEmpty();
			if (isPlain(character) && !(first && character == '.')) {
				encoded.append(character);
			}
			else {
				encoded.append('%').append("%02X".formatted((int) character));
			}
		}
		return encoded.toString();
	}

	/**
	 * Returns what was encoded.
	 * @throws IllegalArgumentException if that cannot be
	 */
	static String decode(String encoded) {
		return URLDecoder.decode(encoded, StandardCharsets.UTF_8);
	}

	private static boolean isPlain(char character) {
		return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z')
				|| (character >= '0' && character <= '9') || "._:-".indexOf(character) >= 0;
	}

}
