package io.leaderstarter.election;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.ToIntFunction;
import java.util.function.UnaryOperator;

import javax.sql.DataSource;

import io.leaderstarter.Leadership;
import io.leaderstarter.LeadershipListener;
import io.leaderstarter.Member;
import io.leaderstarter.RevocationReason;
import io.leaderstarter.backend.jdbc.JdbcLeaseProperties;
import io.leaderstarter.backend.jdbc.JdbcLeaseStoreFactory;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.StoreIdentity;
import io.leaderstarter.election.spi.TermGate;
import io.leaderstarter.election.spi.TimeSource;
import io.leaderstarter.jdbc.SchemaInitialization;
import io.leaderstarter.testsupport.MemoryDatabases;

import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Members of one process that share a real database, each behind a store that can fail.
 */
public final class Cluster implements AutoCloseable {

	/** How often members look that are not told of free roles, at most. */
	public static final Duration POLL_INTERVAL = Duration.ofMillis(50);

	static final Duration TTL = Duration.ofSeconds(1);

	private final DataSource dataSource;

	private final Duration ttl;

	private final LeaseTiming timing;

	private final List<Node> nodes = new CopyOnWriteArrayList<>();

	/** Makes a cluster on a database in memory that nobody else knows. */
	Cluster() {
		this(MemoryDatabases.newH2(), TTL);
	}

	/**
	 * Makes a cluster without members.
	 * @param dataSource the database
	 * @param ttl the ttl of every member
	 */
	public Cluster(DataSource dataSource, Duration ttl) {
		this(dataSource, LeaseTiming.of(ttl, null, null, null));
	}

	/**
	 * Makes a cluster without members.
	 * @param dataSource the database
	 * @param timing the times of the leases of every member
	 */
	public Cluster(DataSource dataSource, LeaseTiming timing) {
		this.dataSource = dataSource;
		this.ttl = timing.ttl();
		this.timing = timing;
	}

	/** Starts a member that stands for roles. */
	public Node start(String... roles) {
		return start(TermGate.OPEN, Duration.ofSeconds(5), roles);
	}

	Node start(TermGate gate, Duration drainTimeout, String... roles) {
		return start(new Node(this.dataSource, this.ttl, (store) -> store, gate,
				settings(drainTimeout, (role) -> 0, Placement.FIRST_COME)), roles);
	}

	/**
	 * Starts a member that comes before or after others.
	 * @param placement who should rather lead
	 * @param priority that of the member for each role
	 * @param roles the roles it stands for
	 * @return the member
	 */
	Node start(Placement placement, ToIntFunction<String> priority, String... roles) {
		return start(new Node(this.dataSource, this.ttl, (store) -> store, TermGate.OPEN,
				settings(Duration.ofSeconds(5), priority, placement)), roles);
	}

	/**
	 * Starts a member with a way of its own to the database.
	 * @param way its connections to the same database
	 * @param adapter makes another store of the real one
	 * @param roles the roles it stands for
	 * @return the member
	 */
	public Node start(DataSource way, UnaryOperator<LeaseStore> adapter, String... roles) {
		return start(new Node(way, this.ttl, adapter, TermGate.OPEN,
				settings(Duration.ofSeconds(5), (role) -> 0, Placement.FIRST_COME)), roles);
	}

	private ElectionSettings settings(Duration drainTimeout, ToIntFunction<String> priority, Placement placement) {
		return new ElectionSettings(this.timing, drainTimeout, (role) -> true, priority, placement, (role) -> 0);
	}

	private Node start(Node node, String... roles) {
		this.nodes.add(node);
		for (String role : roles) {
			node.elections.join(role);
		}
		node.elections.start();
		node.elections.stand();
		return node;
	}

	/** Makes a member as it is before its application has started. */
	Node make(String... roles) {
		Node node = new Node(this.dataSource, this.ttl, (store) -> store, TermGate.OPEN,
				settings(Duration.ofSeconds(5), (role) -> 0, Placement.FIRST_COME));
		this.nodes.add(node);
		for (String role : roles) {
			node.elections.join(role);
		}
		return node;
	}

	/** What stands in the table. */
	public JdbcClient table() {
		return JdbcClient.create(this.dataSource);
	}

	@Override
	public void close() {
		for (Node node : this.nodes) {
			node.store.heal();
			node.elections.stop();
			node.store.close();
		}
	}

	/** One member. */
	public static final class Node {

		final Member member = Member.start("node", Map.of());

		final FaultyLeaseStore store;

		final DefaultLeaderElections elections;

		final List<String> told = new CopyOnWriteArrayList<>();

		private Node(DataSource way, Duration ttl, UnaryOperator<LeaseStore> adapter, TermGate gate,
				ElectionSettings settings) {
			LeaseStore real = new JdbcLeaseStoreFactory(() -> way,
					new JdbcLeaseProperties(SchemaInitialization.ALWAYS, null, "leader_", POLL_INTERVAL, true))
				.create(new StoreIdentity("test", this.member.id(), ttl));
			this.store = new FaultyLeaseStore(adapter.apply(real));
			this.elections = new DefaultLeaderElections(this.member, this.store, gate, settings, TimeSource.SYSTEM);
			this.elections.addListener(new LeadershipListener() {

				@Override
				public void onGranted(Leadership leadership) {
					Node.this.told.add("granted " + leadership.epoch());
				}

				@Override
				public void onRevoked(Leadership leadership, RevocationReason reason) {
					Node.this.told.add("revoked " + leadership.epoch() + " " + reason);
				}

			});
		}

		public DefaultLeaderElections elections() {
			return this.elections;
		}

		public FaultyLeaseStore store() {
			return this.store;
		}

		public String id() {
			return this.member.id();
		}

		public boolean leads(String role) {
			return this.elections.election(role).isLeader();
		}

	}

}
