package io.leaderstarter.election.adversary;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

import io.leaderstarter.TestContexts;

/**
 * Elections by a lock that one node has.
 */
final class LockElections {

	private LockElections() {
	}

	/** A key of a server, such as one of a cache, that expires. */
	static final class Key {

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

	static class TtlLock extends ClassicElection {

		private final ClassicNodes nodes;

		TtlLock(ClassicNodes nodes, String member) {
			super(member);
			this.nodes = nodes;
		}

		@Override
		long epoch() {
			synchronized (this.nodes) {
				return this.nodes.key().counter;
			}
		}

		@Override
		boolean isLed() {
			synchronized (this.nodes) {
				return this.nodes.isCutOff(this) || !this.nodes.key().isFree();
			}
		}

		@Override
		boolean campaign(long epoch) {
			synchronized (this.nodes) {
				if (isLed()) {
					return false;
				}
				this.nodes.key().hold(this);
				this.nodes.key().counter++;
				return true;
			}
		}

		/** A server that does not answer may be back soon. */
		@Override
		boolean believes() {
			synchronized (this.nodes) {
				if (this.nodes.isCutOff(this)) {
					return true;
				}
				boolean still = this.nodes.key().holder == this;
				if (still) {
					this.nodes.key().hold(this);
				}
				return still;
			}
		}

	}

	static final class Generations extends TtlLock {

		private long generation;

		Generations(ClassicNodes nodes, String member) {
			super(nodes, member);
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
	static final class AdvisoryLock extends ClassicElection {

		private static final long LOCK = 4711;

		private final Connection lock;

		private final Connection other;

		AdvisoryLock(ClassicNodes nodes, String member) {
			super(member);
			try {
				this.lock = nodes.database().getConnection();
				this.other = nodes.database().getConnection();
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
		synchronized void endSession(ClassicNodes nodes) {
			try {
				this.lock.close();
			}
			catch (SQLException ex) {
				throw new IllegalStateException(ex);
			}
			TestContexts.await().until(() -> nodes.others(this).stream().anyMatch(ClassicElection::isElected));
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
