package io.leaderstarter.backend.jdbc.attack;

import java.time.Duration;

import io.leaderstarter.election.Cluster.Node;
import io.leaderstarter.election.Cluster;
import io.leaderstarter.election.FaultyLeaseStore.Fault;
import io.leaderstarter.election.RoleStatus;
import io.leaderstarter.election.state.LeaseTiming;
import io.leaderstarter.testsupport.FaultProxy;
import io.leaderstarter.testsupport.MariaDbServer;
import io.leaderstarter.testsupport.PostgresServer;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Loses answers and requests in the orders that leave rows behind which their holder does
 * not know of. Each schedule is also shown to break a store that renews by holder.
 */
@Order(1)
@Tag("verify")
@ParameterizedClass
@EnumSource
class LostAnswerTests {

	/** For a member whose lease is to run out. */
	private static final Duration TTL = Duration.ofSeconds(3);

	/** For all others: a pause of the machine ends no term. */
	private static final LeaseTiming LASTING = LeaseTiming.of(Duration.ofSeconds(30), Duration.ofMillis(500), null);

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	@Parameter
	Server server;

	private Cluster cluster;

	/** Of those that come after the one that is attacked. */
	private Cluster rivals;

	@AfterEach
	void close() {
		this.cluster.close();
		this.rivals.close();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void leaseWhoseGrantWasNotAnsweredIsNotKeptAlive(boolean naive) {
		Node first = start(LASTING, naive, "held");
		soon().until(() -> first.leads("held"));
		loseNextGrant(first, "orphan");
		assertRivalGets("orphan", naive);
		assertThat(first.leads("held")).isTrue();
		assertThat(first.leads("orphan")).isFalse();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void leaseThatCouldNotBeReleasedIsNotKeptAlive(boolean naive) {
		Node first = start(LASTING, naive, "held", "orphan");
		soon().until(() -> first.leads("held") && first.leads("orphan"));
		first.store().fail("release", Fault.LOSE_REQUEST);
		first.store().fail("observe", Fault.LOSE_REQUEST);
		first.elections().election("orphan").resign();
		soon().until(() -> first.elections().status("orphan").state().equals("FOLLOWER"));
		assertRivalGets("orphan", naive);
		assertThat(first.leads("held")).isTrue();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void lostRoleIsNoticedAlthoughAnOrphanMakesUpTheNumber(boolean naive) {
		Node first = start(LASTING, naive, "lost");
		soon().until(() -> first.leads("lost"));
		first.store().fail("observe", Fault.LOSE_REQUEST);
		Node rival = this.rivals.start("lost");
		soon().until(() -> rival.store().requests("observe") > 0);
		this.cluster.table()
			.sql("insert into leader_lease (namespace, role, epoch, holder, term_id, acquired_at_us, expires_at_us, ttl_us) "
					+ "select namespace, 'orphan', 1, holder, 'unknown', acquired_at_us, expires_at_us, ttl_us "
					+ "from leader_lease where role = 'lost'")
			.update();
		this.cluster.table()
			.sql("update leader_lease set holder = null, term_id = null, expires_at_us = 0 where role = 'lost'")
			.update();
		soon().until(() -> rival.leads("lost"));
		if (naive) {
			int before = first.store().requests("renew");
			soon().until(() -> first.store().requests("renew") > before + 4);
			assertThat(first.leads("lost") && rival.leads("lost")).isTrue();
		}
		else {
			soon().until(() -> !first.leads("lost"));
			assertThat(first.elections().status("lost").history()).last()
				.extracting(RoleStatus.Change::reason)
				.isEqualTo("SUPERSEDED");
			assertThat(rival.leads("lost")).isTrue();
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void memberWhoseNetworkIsCutEndsItsTermBeforeTheNextBegins(boolean requestsArriveLate) {
		DriverManagerDataSource database = this.server.newDatabase();
		this.cluster = new Cluster(database, TTL);
		this.rivals = new Cluster(database, LASTING);
		try (FaultProxy proxy = new FaultProxy(this.server.port())) {
			Node first = this.cluster.start(this.server.through(database, proxy.port()), (store) -> store, "a");
			soon().until(() -> first.leads("a"));
			Node rival = this.rivals.start("a");
			if (requestsArriveLate) {
				proxy.holdRequests();
			}
			else {
				proxy.dropAnswers();
			}
			Awaitility.await().pollInterval(Duration.ofMillis(1)).atMost(PATIENCE).until(() -> {
				boolean rivalLeads = rival.leads("a");
				// Read in this order: if both were true, both led at the second reading.
				assertThat(rivalLeads && first.leads("a")).isFalse();
				return rivalLeads;
			});
			proxy.heal();
			// What was held back arrives now, and must not count.
			Awaitility.await()
				.during(TTL.multipliedBy(2))
				.atMost(PATIENCE)
				.until(() -> rival.leads("a") && !first.leads("a"));
		}
	}

	/** Start the one that is attacked. */
	private Node start(LeaseTiming timing, boolean naive, String... roles) {
		DriverManagerDataSource database = this.server.newDatabase();
		this.cluster = new Cluster(database, timing);
		this.rivals = new Cluster(database, LASTING);
		if (!naive) {
			return this.cluster.start(roles);
		}
		RenewalByHolder[] wrong = new RenewalByHolder[1];
		Node node = this.cluster.start(database, (store) -> {
			wrong[0] = new RenewalByHolder(store, this.cluster.table());
			return wrong[0];
		}, roles);
		wrong[0].holder(node.id());
		return node;
	}

	/** It holds the role then without knowing it, and polls do not show it. */
	private void loseNextGrant(Node node, String role) {
		node.store().afterLosses(() -> node.store().fail("observe", Fault.LOSE_REQUEST));
		node.store().fail("acquire", Fault.LOSE_ANSWER);
		node.elections().join(role);
		soon().until(() -> holder(role).equals(node.id()));
	}

	/** Let a member come that wants the role, when its lease has but a little left. */
	private void assertRivalGets(String role, boolean naive) {
		Duration left = Duration.ofSeconds(3);
		long expiry = expiry(role) - LASTING.ttl().minus(left).toNanos() / 1000;
		this.cluster.table()
			.sql("update leader_lease set expires_at_us = ? where role = ?")
			.params(expiry, role)
			.update();
		if (naive) {
			soon().until(() -> expiry(role) > expiry);
			Node rival = this.rivals.start(role);
			Awaitility.await().during(left.multipliedBy(2)).atMost(PATIENCE).until(() -> !rival.leads(role));
		}
		else {
			Node rival = this.rivals.start(role);
			soon().until(() -> rival.leads(role));
		}
	}

	private long expiry(String role) {
		return this.cluster.table()
			.sql("select expires_at_us from leader_lease where role = ?")
			.param(role)
			.query(Long.class)
			.single();
	}

	private String holder(String role) {
		return this.cluster.table()
			.sql("select coalesce(holder, '') from leader_lease where role = ?")
			.param(role)
			.query(String.class)
			.optional()
			.orElse("");
	}

	private static ConditionFactory soon() {
		return Awaitility.await().pollInterval(Duration.ofMillis(5)).atMost(PATIENCE);
	}

	/** Where the attacks are run. */
	enum Server {

		POSTGRESQL, MARIADB;

		DriverManagerDataSource newDatabase() {
			return (this == POSTGRESQL) ? PostgresServer.newDatabase() : MariaDbServer.newDatabase();
		}

		int port() {
			return (this == POSTGRESQL) ? PostgresServer.port() : MariaDbServer.port();
		}

		DriverManagerDataSource through(DriverManagerDataSource database, int port) {
			return (this == POSTGRESQL) ? PostgresServer.through(database, port)
					: MariaDbServer.through(database, port);
		}

	}

}
