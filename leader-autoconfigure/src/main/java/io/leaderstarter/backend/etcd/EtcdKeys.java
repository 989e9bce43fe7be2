package io.leaderstarter.backend.etcd;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;

import io.etcd.jetcd.ByteSequence;

/**
 * Where things are. Names of ours begin with {@code @}, which no encoded name contains.
 *
 * @param prefix beginning of all keys
 * @param namespace beginning of the keys of this namespace
 */
record EtcdKeys(String prefix, String namespace) {

	private static final String LEADER = "leader";

	static EtcdKeys of(String prefix, String namespace) {
		return new EtcdKeys(prefix, prefix + "/" + encode(namespace));
	}

	/** What tells this store from others. */
	String authority() {
		return this.prefix + "/@authority";
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
		return roles() + encode(role) + "/";
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
		return this.namespace + "/members/" + encode(member) + "/";
	}

	/**
	 * Lives and dies with the key of the leader, and lies beside those of other roles.
	 */
	String proof(String member, String role) {
		return member(member) + encode(role);
	}

	/** What the keys begin with by which members say what they stand for. */
	String candidates() {
		return this.namespace + "/candidates/";
	}

	String candidate(String member) {
		return candidates() + encode(member);
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

	/**
	 * Makes a name that has no slash, and that no other name becomes.
	 */
	static String encode(String name) {
		StringBuilder encoded = new StringBuilder();
		for (byte next : name.getBytes(StandardCharsets.UTF_8)) {
			char character = (char) (next & 0xff);
			if (isPlain(character)) {
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
