package io.leaderstarter.election.membership;

/**
 * Numbers by which all members agree on who should rather lead a role, without asking
 * each other. Of the candidates for a role the one with the greatest weight comes first.
 * When one goes, only its roles get another first one; when one comes, it is first for
 * its share of the roles, and nothing else changes.
 * <p>
 * The numbers are part of what members of different versions agree on, so they must never
 * be computed in another way.
 * <p>
 * Internal: not for applications.
 *
 * @since 0.1.0
 */
public final class Rendezvous {

	private static final long FNV_OFFSET = 0xcbf29ce484222325L;

	private static final long FNV_PRIME = 0x100000001b3L;

	private Rendezvous() {
	}

	/** Return a number for a name, of which every bit depends on every character. */
	public static long hash(String name) {
		long hash = FNV_OFFSET;
		for (int i = 0; i < name.length(); i++) {
			hash = (hash ^ name.charAt(i)) * FNV_PRIME;
		}
		return mix(hash);
	}

	/**
	 * Return how much a member is preferred for a role.
	 * @param role the hash of the role
	 * @param member the hash of the member's id
	 */
	public static long weigh(long role, long member) {
		return mix(role ^ Long.rotateLeft(member, 32));
	}

	/** The last step of SplitMix64, in Stafford's variant 13. */
	private static long mix(long value) {
		long mixed = (value ^ (value >>> 30)) * 0xbf58476d1ce4e5b9L;
		mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
		return mixed ^ (mixed >>> 31);
	}

}
