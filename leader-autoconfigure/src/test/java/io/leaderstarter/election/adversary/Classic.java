package io.leaderstarter.election.adversary;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.BiFunction;

import javax.sql.DataSource;

import io.leaderstarter.TestContexts;

/**
 * The elections of the textbooks, and what makes each of them elect two leaders.
 */
enum Classic {

	/** The node with the highest number leads, of those that answer. */
	BULLY(true, Bully::new) {

		@Override
		void disturb(Cluster cluster, ClassicElection leader) {
			cluster.cutOff(leader);
		}

	},

	/** A message goes around, and the node with the highest number in it leads. */
	RING(true, Ring::new) {

		@Override
		void disturb(Cluster cluster, ClassicElection leader) {
			cluster.cutOff(leader);
		}

	},

	/** A majority votes once per epoch, but does not write down for whom. */
	MAJORITY_VOTE(false, Vote::new) {

		@Override
		void disturb(Cluster cluster, ClassicElection leader) {
			cluster.cutOff(leader);
			cluster.others(leader).forEach((node) -> ((Vote) node).restart());
		}

	},

	/** Whoever sets a key that expires leads until it hears something else. */
	TTL_LOCK(true, TtlLock::new) {

		@Override
		void disturb(Cluster cluster, ClassicElection leader) {
			cluster.cutOff(leader);
		}

	},

	/** The same, and each node counts its own generations. */
	GENERATIONS_OF_A_NODE(false, Generations::new) {

		@Override
		void disturb(Cluster cluster, ClassicElection leader) {
			cluster.cutOff(leader);
		}

	},

	/** An advisory lock of PostgreSQL, and a counter in a table. */
	ADVISORY_LOCK(true, AdvisoryLock::new) {

		@Override
		void disturb(Cluster cluster, ClassicElection leader) {
			((AdvisoryLock) leader).endSession(cluster);
		}

	};

	/**
	 * Whether the second leader has a greater epoch than the first. If not, its term does
	 * not begin where there is a fence.
	 */
	final boolean epochGrows;

	private final BiFunction<Cluster, String, ClassicElection> creation;

	Classic(boolean epochGrows, BiFunction<Cluster, String, ClassicElection> creation) {
		this.epochGrows = epochGrows;
		this.creation = creation;
	}

	/** Make the election give the role to a second node. */
	abstract void disturb(Cluster cluster, ClassicElection leader);

	/**
	 * The nodes, and a network that can be parted.
	 */
	static final class Cluster {

		private final Classic kind;

		private final DataSource database;

		private final List<ClassicElection> nodes = new ArrayList<>();

		private final Key key = new Key();

		private ClassicElection cutOff;

		Cluster(Classic kind, DataSource database) {
			this.kind = kind;
			this.database = database;
		}

		synchronized ClassicElection join(String member) {
			ClassicElection node = this.kind.creation.apply(this, member);
			this.nodes.add(node);
			return node;
		}

		void disturb(ClassicElection leader) {
			this.kind.disturb(this, leader);
		}

		/** From now on nothing reaches this node, and it reaches nothing. */
		synchronized void cutOff(ClassicElection node) {
			this.cutOff = node;
		}

		boolean isCutOff(ClassicElection node) {
			return this.cutOff == node;
		}

		List<ClassicElection> others(ClassicElection node) {
			return this.nodes.stream().filter((other) -> other != node).toList();
		}

		/** The nodes that one can reach, itself among them. */
		List<ClassicElection> reachable(ClassicElection node) {
			return this.nodes.stream()
				.filter((other) -> other == node || (!isCutOff(node) && !isCutOff(other)))
				.toList();
		}

		int number(ClassicElection node) {
			return this.nodes.indexOf(node);
		}

	}

	/** Nodes that send messages to each other. */
	private abstract static class Peer extends ClassicElection {

		final Cluster cluster;

		long epoch;

		Peer(Cluster cluster, String member) {
			super(member);
			this.cluster = cluster;
		}

		@Override
		long epoch() {
			synchronized (this.cluster) {
				return this.epoch;
			}
		}

		/** Tell all who can be reached that an epoch has begun. */
		final void announce(long epoch) {
			this.cluster.reachable(this).forEach((node) -> ((Peer) node).epoch = epoch);
		}

	}

	private static class Bully extends Peer {

		Bully(Cluster cluster, String member) {
			super(cluster, member);
		}

		ClassicElection highest() {
			return this.cluster.reachable(this).stream().max(Comparator.comparing(this.cluster::number)).orElseThrow();
		}

		@Override
		boolean isLed() {
			return !believes();
		}

		@Override
		boolean believes() {
			synchronized (this.cluster) {
				return highest() == this;
			}
		}

		@Override
		boolean campaign(long epoch) {
			synchronized (this.cluster) {
				if (highest() != this) {
					return false;
				}
				announce(epoch);
				return true;
			}
		}

	}

	/** Passes a message on to the next node that answers until it is back. */
	private static final class Ring extends Bully {

		Ring(Cluster cluster, String member) {
			super(cluster, member);
		}

		@Override
		ClassicElection highest() {
			ClassicElection highest = this;
			for (ClassicElection at = next(this); at != this; at = next(at)) {
				highest = (this.cluster.number(at) > this.cluster.number(highest)) ? at : highest;
			}
			return highest;
		}

		private ClassicElection next(ClassicElection node) {
			List<ClassicElection> reachable = this.cluster.reachable(node);
			return reachable.get((reachable.indexOf(node) + 1) % reachable.size());
		}

	}

	private static final class Vote extends Peer {

		private ClassicElection leader;

		Vote(Cluster cluster, String member) {
			super(cluster, member);
		}

		/** What it voted was in its memory only. */
		void restart() {
			synchronized (this.cluster) {
				this.epoch = 0;
				this.leader = null;
			}
		}

		@Override
		boolean isLed() {
			synchronized (this.cluster) {
				return this.leader != null && this.leader != this && this.cluster.reachable(this).contains(this.leader);
			}
		}

		@Override
		boolean believes() {
			synchronized (this.cluster) {
				return this.leader == this;
			}
		}

		@Override
		boolean campaign(long epoch) {
			synchronized (this.cluster) {
				List<Vote> voters = this.cluster.reachable(this)
					.stream()
					.map(Vote.class::cast)
					.filter((node) -> node.epoch < epoch)
					.toList();
				voters.forEach((node) -> node.epoch = epoch);
				if (voters.size() <= this.cluster.nodes.size() / 2) {
					return false;
				}
				this.cluster.reachable(this).forEach((node) -> ((Vote) node).leader = this);
				return true;
			}
		}

	}

	/** A key of a server, such as one of a cache, that expires. */
	private static final class Key {

		private static final Duration TTL = Duration.ofSeconds(1);

		private ClassicElection holder;

		private long expires;

		private long counter;

		private void hold(ClassicElection node) {
			this.holder = node;
			this.expires = System.nanoTime() + TTL.toNanos();
		}

		private boolean isFree() {
			return this.holder == null || System.nanoTime() - this.expires > 0;
		}

	}

	private static class TtlLock extends ClassicElection {

		private final Cluster cluster;

		TtlLock(Cluster cluster, String member) {
			super(member);
			this.cluster = cluster;
		}

		@Override
		long epoch() {
			synchronized (this.cluster) {
				return this.cluster.key.counter;
			}
		}

		@Override
		boolean isLed() {
			synchronized (this.cluster) {
				return this.cluster.isCutOff(this) || !this.cluster.key.isFree();
			}
		}

		@Override
		boolean campaign(long epoch) {
			synchronized (this.cluster) {
				if (isLed()) {
					return false;
				}
				this.cluster.key.hold(this);
				this.cluster.key.counter++;
				return true;
			}
		}

		/** A server that does not answer may be back soon. */
		@Override
		boolean believes() {
			synchronized (this.cluster) {
				if (this.cluster.isCutOff(this)) {
					return true;
				}
				boolean still = this.cluster.key.holder == this;
				if (still) {
					this.cluster.key.hold(this);
				}
				return still;
			}
		}

	}

	private static final class Generations extends TtlLock {

		private long generation;

		Generations(Cluster cluster, String member) {
			super(cluster, member);
		}

		@Override
		long epoch() {
			return this.generation;
		}

		@Override
		boolean campaign(long epoch) {
			boolean elected = super.campaign(epoch);
			this.generation += elected ? 1 : 0;
			return elected;
		}

	}

	/**
	 * To see whether it still has the lock, the leader tries to take it: if it gets it,
	 * it had lost it. A pool has given it another connection for that than the one that
	 * it locked with.
	 */
	private static final class AdvisoryLock extends ClassicElection {

		private static final long LOCK = 4711;

		private final Connection lock;

		private final Connection other;

		AdvisoryLock(Cluster cluster, String member) {
			super(member);
			try {
				this.lock = cluster.database.getConnection();
				this.other = cluster.database.getConnection();
				execute(this.other, "create table if not exists leadership_term (term bigint)");
				execute(this.other,
						"insert into leadership_term select 0 where not exists (select 1 from leadership_term)");
			}
			catch (SQLException ex) {
				throw new IllegalStateException(ex);
			}
		}

		/**
		 * As after the end of the connection's life. The leader is paused until another
		 * node has noticed.
		 */
		synchronized void endSession(Cluster cluster) {
			try {
				this.lock.close();
			}
			catch (SQLException ex) {
				throw new IllegalStateException(ex);
			}
			TestContexts.await().until(() -> cluster.others(this).stream().anyMatch(ClassicElection::isElected));
		}

		@Override
		long epoch() {
			return number(this.other, "select term from leadership_term");
		}

		@Override
		boolean isLed() {
			return !lock(this.other);
		}

		@Override
		boolean campaign(long epoch) {
			if (number(this.lock, "select pg_try_advisory_lock(%d)::int".formatted(LOCK)) == 0) {
				return false;
			}
			number(this.lock, "update leadership_term set term = term + 1 returning term");
			return true;
		}

		@Override
		boolean believes() {
			return !lock(this.other);
		}

		/** Whether the lock was free. It is free again after that. */
		private static boolean lock(Connection connection) {
			boolean locked = number(connection, "select pg_try_advisory_lock(%d)::int".formatted(LOCK)) == 1;
			if (locked) {
				number(connection, "select pg_advisory_unlock(%d)::int".formatted(LOCK));
			}
			return locked;
		}

		@Override
		public void close() {
			try {
				this.lock.close();
				this.other.close();
			}
			catch (SQLException ex) {
				throw new IllegalStateException(ex);
			}
		}

		private static long number(Connection connection, String sql) {
			try (PreparedStatement statement = connection.prepareStatement(sql);
					ResultSet result = statement.executeQuery()) {
				result.next();
				return result.getLong(1);
			}
			catch (SQLException ex) {
				throw new IllegalStateException(ex);
			}
		}

		private static void execute(Connection connection, String sql) throws SQLException {
			try (Statement statement = connection.createStatement()) {
				statement.execute(sql);
			}
		}

	}

}
