package io.leaderstarter.election;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;

import io.leaderstarter.Leadership;
import io.leaderstarter.LeadershipListener;
import io.leaderstarter.Member;
import io.leaderstarter.RevocationReason;
import io.leaderstarter.backend.jdbc.JdbcLeaseProperties;
import io.leaderstarter.backend.jdbc.JdbcLeaseStoreFactory;
import io.leaderstarter.election.spi.StoreIdentity;
import io.leaderstarter.election.spi.TermGate;
import io.leaderstarter.election.spi.TimeSource;
import io.leaderstarter.jdbc.SchemaInitialization;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * Members of one process that share a real database, each behind a store that can fail.
 */
class Cluster implements AutoCloseable {

	static final Duration TTL = Duration.ofSeconds(1);

	private final DriverManagerDataSource dataSource = new DriverManagerDataSource(
			"jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");

	private final JdbcLeaseStoreFactory factory = new JdbcLeaseStoreFactory(() -> this.dataSource,
			new JdbcLeaseProperties(SchemaInitialization.ALWAYS, null, "leader_", Duration.ofMillis(50), true));

	private final List<Node> nodes = new ArrayList<>();

	Node start(String... roles) {
		return start(TermGate.OPEN, Duration.ofSeconds(5), roles);
	}

	Node start(TermGate gate, Duration drainTimeout, String... roles) {
		Node node = new Node(gate, drainTimeout);
		this.nodes.add(node);
		for (String role : roles) {
			node.elections.join(role);
		}
		node.elections.start();
		node.elections.stand();
		return node;
	}

	/** What stands in the table. */
	JdbcClient table() {
		return JdbcClient.create(this.dataSource);
	}

	@Override
	public void close() {
		for (Node node : this.nodes) {
			node.store.heal();
			node.elections.stop();
			node.store.close();
		}
		table().sql("shutdown").update();
	}

	/** One member. */
	final class Node {

		final Member member = Member.start("node", Map.of());

		final FaultyLeaseStore store = new FaultyLeaseStore(
				Cluster.this.factory.create(new StoreIdentity("test", this.member.id(), TTL)));

		final DefaultLeaderElections elections;

		final List<String> told = new CopyOnWriteArrayList<>();

		private Node(TermGate gate, Duration drainTimeout) {
			this.elections = new DefaultLeaderElections(this.member, this.store, gate,
					new ElectionSettings(LeaseTiming.of(TTL, null, null, null), drainTimeout, (role) -> true),
					TimeSource.SYSTEM);
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

		boolean leads(String role) {
			return this.elections.election(role).isLeader();
		}

	}

}
