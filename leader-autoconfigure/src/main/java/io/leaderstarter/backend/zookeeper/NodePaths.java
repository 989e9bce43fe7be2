package io.leaderstarter.backend.zookeeper;

import io.leaderstarter.backend.support.StoreNames;

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
	String storeId() {
		return this.base + "/@store-id";
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

	/** The only names that no node may have are those of dots. */
	static String encode(String name) {
		String encoded = StoreNames.encode(name);
		return encoded.startsWith(".") ? "%2E" + encoded.substring(1) : encoded;
	}

}
