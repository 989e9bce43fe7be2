package io.leaderstarter.backend.etcd;

import java.nio.charset.StandardCharsets;

import io.etcd.jetcd.ByteSequence;
import io.leaderstarter.backend.support.StoreNames;

/**
 * The names of all keys. Those that are not encoded names begin with {@code @}, which no
 * encoded name contains.
 *
 * @param prefix beginning of all keys
 * @param namespace beginning of the keys of this namespace
 */
record EtcdKeys(String prefix, String namespace) {

	private static final String LEADER = "leader";

	static EtcdKeys of(String prefix, String namespace) {
		return new EtcdKeys(prefix, prefix + "/" + StoreNames.encode(namespace));
	}

	/** The key of the store id. */
	String storeId() {
		return this.prefix + "/@store-id";
	}

	/** A key that is never written. It is used to verify the permission to write. */
	String probe() {
		return this.namespace + "/@probe";
	}

	/** The prefix of the keys of all roles. */
	String roles() {
		return this.namespace + "/roles/";
	}

	/** The prefix of the keys of a role. */
	String role(String role) {
		return roles() + StoreNames.encode(role) + "/";
	}

	/** The key of the epoch of a role, which is never deleted. */
	String epoch(String role) {
		return role(role) + "epoch";
	}

	/** The key of the leader, which is deleted with its lease. */
	String leader(String role) {
		return role(role) + LEADER;
	}

	/** The prefix of the keys that prove which roles a member holds. */
	String member(String member) {
		return this.namespace + "/members/" + StoreNames.encode(member) + "/";
	}

	/**
	 * The proof of a role, deleted together with the key of the leader. All proofs of a
	 * member have one prefix.
	 */
	String proof(String member, String role) {
		return member(member) + StoreNames.encode(role);
	}

	/** The prefix of the keys by which members announce themselves. */
	String candidates() {
		return this.namespace + "/candidates/";
	}

	String candidate(String member) {
		return candidates() + StoreNames.encode(member);
	}

	static boolean isLeader(ByteSequence key) {
		return key.toString(StandardCharsets.UTF_8).endsWith("/" + LEADER);
	}

	/** Return the first key after all keys with a prefix that ends with a slash. */
	static ByteSequence end(String slashed) {
		return bytes(slashed.substring(0, slashed.length() - 1) + (char) ('/' + 1));
	}

	static ByteSequence bytes(String text) {
		return ByteSequence.from(text, StandardCharsets.UTF_8);
	}

}
