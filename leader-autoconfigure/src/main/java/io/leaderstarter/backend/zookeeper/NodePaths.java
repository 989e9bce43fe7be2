package io.leaderstarter.backend.zookeeper;

import io.leaderstarter.backend.support.StoreNames;

/**
 * The paths of all nodes. Names that are not encoded begin with {@code @}, which no
 * encoded name contains.
 *
 * @param base the root of all nodes
 * @param namespace the node of the roles
 */
record NodePaths(String base, String namespace) {

	private static final String LEADER = "/leader";

	static NodePaths of(String base, String namespace) {
		return new NodePaths(base, base + "/" + encode(namespace));
	}

	/** The node of the store id. */
	String storeId() {
		return this.base + "/@store-id";
	}

	/** A node that is deleted with the request that creates it. */
	String probe() {
		return this.namespace + "/@probe";
	}

	/** The node of the epoch of a role, which is never deleted. */
	String role(String role) {
		return this.namespace + "/" + encode(role);
	}

	/** The ephemeral node of the leader. */
	String leader(String role) {
		return role(role) + LEADER;
	}

	/** The parent of the nodes of members. */
	String members() {
		return this.namespace + "/@members";
	}

	static boolean isLeader(String path) {
		return path.endsWith(LEADER);
	}

	/** Encode a name. Names of dots only are not allowed for nodes. */
	static String encode(String name) {
		String encoded = StoreNames.encode(name);
		return encoded.startsWith(".") ? "%2E" + encoded.substring(1) : encoded;
	}

}
