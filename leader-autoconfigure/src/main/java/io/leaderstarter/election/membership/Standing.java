package io.leaderstarter.election.membership;

/**
 * How far to the front a candidate of a role is.
 * <p>
 * Internal: not for applications.
 *
 * @param member id of the candidate
 * @param priority the higher one comes first
 * @param weight of those with the same priority, the greater one comes first; they come
 * together if it is the same
 * @since 0.1.0
 */
public record Standing(String member, int priority, long weight) {

	/**
	 * Place a candidate.
	 * @param placement what weighs
	 * @param role the hash of the role
	 * @param member id of the candidate
	 * @param hash the hash of the id
	 * @param priority of the candidate for the role
	 */
	public static Standing of(Placement placement, long role, String member, long hash, int priority) {
		return new Standing(member, priority, (placement == Placement.SPREAD) ? Rendezvous.weigh(role, hash) : 0);
	}

	public boolean isBefore(Standing other) {
		return (this.priority != other.priority) ? this.priority > other.priority : this.weight > other.weight;
	}

}
