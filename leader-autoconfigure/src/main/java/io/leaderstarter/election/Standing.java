package io.leaderstarter.election;

/**
 * How far to the front a candidate of a role is.
 *
 * @param member id of the candidate
 * @param priority the higher one comes first
 * @param weight of those with the same priority, the greater one comes first; they come
 * together if it is the same
 */
record Standing(String member, int priority, long weight) {

	/**
	 * Places a candidate.
	 * @param placement what weighs
	 * @param role the hash of the role
	 * @param member id of the candidate
	 * @param hash the hash of the id
	 * @param priority of the candidate for the role
	 */
	static Standing of(Placement placement, long role, String member, long hash, int priority) {
		return new Standing(member, priority, (placement == Placement.SPREAD) ? Rendezvous.weigh(role, hash) : 0);
	}

	boolean isBefore(Standing other) {
		return (this.priority != other.priority) ? this.priority > other.priority : this.weight > other.weight;
	}

}
