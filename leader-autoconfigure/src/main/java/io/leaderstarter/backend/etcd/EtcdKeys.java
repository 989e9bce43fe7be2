package io.leaderstarter.backend.etcd;

import java.nio.charset.StandardCharsets;

import io.etcd.jetcd.ByteSequence;
import io.leaderstarter.backend.support.StoreNames;

/**
 * Where things are. Names of ours begin with {@code @}, which no encoded name contains.
 *
 * @param prefix beginning of all keys
 * @param namespace beginning of the keys of this namespace
 */
record EtcdKeys(String prefix, String namespace) {

	private static final String LEADER = "leader";

	static EtcdKeys of(String prefix, String namespace) {
		return new EtcdKeys(prefix, prefix + "/" + StoreNames.encode(namespace));
	}

	/** What tells this store from others. */
	String storeId() {
		return this.prefix + "/@store-id";
	}

	/** A key that is never written, only asked whether it may be. */
	String probe() {
		return this.namespace + "/@probe";
	}

	/** What the keys of all roles begin with. */
	String roles() {
		return this.namespace + "/roles/";
	}

	/** What the keys of a role begin with. */
	String role(String role) {
		return roles() + StoreNames.encode(role) + "/";
	}

	/** Keeps the epoch of a role, for ever. */
	String epoch(String role) {
		return role(role) + "epoch";
	}

	/** Lives as long as the lease of the leader. */
	String leader(String role) {
		return role(role) + LEADER;
	}

	/** What the keys begin with that prove which roles a member holds. */
	String member(String member) {
		return this.namespace + "/members/" + StoreNames.encode(member) + "/";
	}

	/**
	 * Lives and dies with the key of the leader, and lies beside those of other roles.
	 */
	String proof(String member, String role) {
		return member(member) + StoreNames.encode(role);
	}

	/** What the keys begin with by which members say what they stand for. */
	String candidates() {
		return this.namespace + "/candidates/";
	}

	String candidate(String member) {
		return candidates() + StoreNames.encode(member);
	}

	static boolean isLeader(ByteSequence key) {
		return key.toString(StandardCharsets.UTF_8).endsWith("/" + LEADER);
	}

	/** The first key behind all that begin with the text, which ends with a slash. */
	static ByteSequence end(String slashed) {
		return bytes(slashed.substring(0, slashed.length() - 1) + (char) ('/' + 1));
	}

	static ByteSequence bytes(String text) {
		return ByteSequence.from(text, StandardCharsets.UTF_8);
	}

}
