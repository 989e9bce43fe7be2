package io.leaderstarter.election.adversary;

import java.util.Comparator;
import java.util.List;

/**
 * Elections by messages between the nodes.
 */
final class PeerElections {

	private PeerElections() {
	}

	/** Nodes that send messages to each other. */
	abstract static class Peer extends ClassicElection {

		final ClassicNodes nodes;

		long epoch;

		Peer(ClassicNodes nodes, String member) {
			super(member);
			this.nodes = nodes;
		}

		@Override
		long epoch() {
			synchronized (this.nodes) {
				return this.epoch;
			}
		}

		/** Tell all who can be reached that an epoch has begun. */
		final void announce(long epoch) {
			this.nodes.reachable(this).forEach((node) -> ((Peer) node).epoch = epoch);
		}

	}

	static class Bully extends Peer {

		Bully(ClassicNodes nodes, String member) {
			super(nodes, member);
		}

		ClassicElection highest() {
			return this.nodes.reachable(this).stream().max(Comparator.comparing(this.nodes::number)).orElseThrow();
		}

		@Override
		boolean isLed() {
			return !believes();
		}

		@Override
		boolean believes() {
			synchronized (this.nodes) {
				return highest() == this;
			}
		}

		@Override
		boolean campaign(long epoch) {
			synchronized (this.nodes) {
				if (highest() != this) {
					return false;
				}
				announce(epoch);
				return true;
			}
		}

	}

	/** Passes a message on to the next node that answers until it is back. */
	static final class Ring extends Bully {

		Ring(ClassicNodes nodes, String member) {
			super(nodes, member);
		}

		@Override
		ClassicElection highest() {
			ClassicElection highest = this;
			for (ClassicElection at = next(this); at != this; at = next(at)) {
				highest = (this.nodes.number(at) > this.nodes.number(highest)) ? at : highest;
			}
			return highest;
		}

		private ClassicElection next(ClassicElection node) {
			List<ClassicElection> reachable = this.nodes.reachable(node);
			return reachable.get((reachable.indexOf(node) + 1) % reachable.size());
		}

	}

	static final class Vote extends Peer {

		private ClassicElection leader;

		Vote(ClassicNodes nodes, String member) {
			super(nodes, member);
		}

		/** What it voted was in its memory only. */
		void restart() {
			synchronized (this.nodes) {
				this.epoch = 0;
				this.leader = null;
			}
		}

		@Override
		boolean isLed() {
			synchronized (this.nodes) {
				return this.leader != null && this.leader != this && this.nodes.reachable(this).contains(this.leader);
			}
		}

		@Override
		boolean believes() {
			synchronized (this.nodes) {
				return this.leader == this;
			}
		}

		@Override
		boolean campaign(long epoch) {
			synchronized (this.nodes) {
				List<Vote> voters = this.nodes.reachable(this)
					.stream()
					.map(Vote.class::cast)
					.filter((node) -> node.epoch < epoch)
					.toList();
				voters.forEach((node) -> node.epoch = epoch);
				if (voters.size() <= this.nodes.size() / 2) {
					return false;
				}
				this.nodes.reachable(this).forEach((node) -> ((Vote) node).leader = this);
				return true;
			}
		}

	}

}
