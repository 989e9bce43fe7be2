package io.leaderstarter.election;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
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
import io.leaderstarter.election.state.LeaseTiming;
import io.leaderstarter.jdbc.SchemaInitialization;
import io.leaderstarter.jdbc.SchemaSettings;
import io.leaderstarter.testsupport.MemoryDatabases;

import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Members of one process that share a real database, each behind a store that can fail.
 */
public final class Cluster implements AutoCloseable {

	/** How often members poll at most that are not notified of free roles. */
	public static final Duration POLL_INTERVAL = Duration.ofMillis(50);

	/** Lasts through whatever a slow machine does, and is renewed all the time. */
	static final LeaseTiming LASTING = LeaseTiming.of(Duration.ofSeconds(30), Duration.ofMillis(300),
			Duration.ofSeconds(10));

	private final DataSource dataSource;

	private final LeaseTiming timing;

	private final List<Node> nodes = new CopyOnWriteArrayList<>();

	/**
	 * Makes a cluster whose terms last, on a database in memory that nobody else knows.
	 */
	Cluster() {
		this(MemoryDatabases.newH2(), LASTING);
	}

	/**
	 * Makes a cluster without members.
	 * @param dataSource the database
	 * @param ttl the ttl of every member
	 */
	public Cluster(DataSource dataSource, Duration ttl) {
		this(dataSource, LeaseTiming.of(ttl, null, null));
	}

	/**
	 * Makes a cluster without members.
	 * @param dataSource the database
	 * @param timing the times of the leases of every member
	 */
	public Cluster(DataSource dataSource, LeaseTiming timing) {
		this.dataSource = dataSource;
		this.timing = timing;
	}

	/** Starts a member that competes for roles. */
	public Node start(String... roles) {
		return start(Duration.ofSeconds(5), roles);
	}

	/** Starts a member whose calls may run on for so long. */
	Node start(Duration drainTimeout, String... roles) {
		return start(make(this.dataSource, UnaryOperator.identity(), drainTimeout, roles));
	}

	/**
	 * Starts a member with a way of its own to the database.
	 * @param way its connections to the same database
	 * @param adapter makes another store of the real one
	 * @param roles the roles it competes for
	 * @return the member
	 */
	public Node start(DataSource way, UnaryOperator<LeaseStore> adapter, String... roles) {
		return start(make(way, adapter, Duration.ofSeconds(5), roles));
	}

	private static Node start(Node node) {
		node.elections.start();
		node.elections.compete();
		return node;
	}

	/** Makes a member as it is before its application has started. */
	Node make(String... roles) {
		return make(this.dataSource, UnaryOperator.identity(), Duration.ofSeconds(5), roles);
	}

	private Node make(DataSource way, UnaryOperator<LeaseStore> adapter, Duration drainTimeout, String... roles) {
		Node node = new Node(way, adapter, new ElectionSettings(this.timing, drainTimeout));
		this.nodes.add(node);
		for (String role : roles) {
			node.elections.join(role);
		}
		return node;
	}

	/** What is in the table. */
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

		final List<String> notified = new CopyOnWriteArrayList<>();

		private Node(DataSource way, UnaryOperator<LeaseStore> adapter, ElectionSettings settings) {
			LeaseStore real = new JdbcLeaseStoreFactory(() -> way,
					new JdbcLeaseProperties(new SchemaSettings("leader_", SchemaInitialization.ALWAYS, null),
							POLL_INTERVAL))
				.create(new StoreIdentity("test", this.member.id(), settings.timing().ttl()));
			this.store = new FaultyLeaseStore(adapter.apply(real));
			this.elections = new DefaultLeaderElections(this.member, this.store, TermGate.OPEN, settings,
					TimeSource.SYSTEM);
			this.elections.addListener(new LeadershipListener() {

				@Override
				public void onGranted(Leadership leadership) {
					Node.this.notified.add("granted " + leadership.epoch());
				}

				@Override
				public void onRevoked(Leadership leadership, RevocationReason reason) {
					Node.this.notified.add("revoked " + leadership.epoch() + " " + reason);
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
