package io.leaderstarter.election.adversary;

import java.util.function.BiFunction;

/**
 * The elections of the textbooks, and what makes each of them elect two leaders.
 */
enum Classic {

	/** The node with the highest number leads, of those that answer. */
	BULLY(true, PeerElections.Bully::new),

	/** A message goes around, and the node with the highest number in it leads. */
	RING(true, PeerElections.Ring::new),

	/** A majority votes once per epoch, but does not write down for whom. */
	MAJORITY_VOTE(false, PeerElections.Vote::new) {

		@Override
		void disturb(ClassicNodes nodes, ClassicElection leader) {
			super.disturb(nodes, leader);
			nodes.others(leader).forEach((node) -> ((PeerElections.Vote) node).restart());
		}

	},

	/** Whoever sets a key that expires leads until it hears something else. */
	TTL_LOCK(true, LockElections.TtlLock::new),

	/** The same, and each node counts its own generations. */
	GENERATIONS_OF_A_NODE(false, LockElections.Generations::new),

	/** An advisory lock of PostgreSQL, and a counter in a table. */
	ADVISORY_LOCK(true, LockElections.AdvisoryLock::new) {

		@Override
		void disturb(ClassicNodes nodes, ClassicElection leader) {
			((LockElections.AdvisoryLock) leader).endSession(nodes);
		}

	};

	/**
	 * Whether the second leader has a greater epoch than the first. If not, its term does
	 * not begin where there is a fence.
	 */
	final boolean epochGrows;

	private final BiFunction<ClassicNodes, String, ClassicElection> creation;

	Classic(boolean epochGrows, BiFunction<ClassicNodes, String, ClassicElection> creation) {
		this.epochGrows = epochGrows;
		this.creation = creation;
	}

	ClassicElection make(ClassicNodes nodes, String member) {
		return this.creation.apply(nodes, member);
	}

	/** Make the election give the role to a second node. */
	void disturb(ClassicNodes nodes, ClassicElection leader) {
		nodes.cutOff(leader);
	}

}
