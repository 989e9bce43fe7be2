package io.leaderstarter.backend.jdbc.attack;

import java.time.Duration;

import io.leaderstarter.election.Cluster;
import io.leaderstarter.election.Cluster.Node;
import io.leaderstarter.election.FaultyLeaseStore.Fault;
import io.leaderstarter.testsupport.FaultProxy;
import io.leaderstarter.testsupport.MariaDbServer;
import io.leaderstarter.testsupport.PostgresServer;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
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
@ParameterizedClass
@EnumSource
class LostAnswerTests {

	/** So long that a machine which stands still for a moment takes no term away. */
	private static final Duration TTL = Duration.ofSeconds(3);

	/** For the wrong one, which is watched for several of them. */
	private static final Duration NAIVE_TTL = Duration.ofSeconds(2);

	@Parameter
	Server server;

	private Cluster cluster;

	@AfterEach
	void close() {
		this.cluster.close();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void leaseWhoseGrantWasNeverHeardOfIsNotKeptAlive(boolean naive) {
		Node first = start(naive, "held");
		soon().until(() -> first.leads("held"));
		loseNextGrant(first, "orphan");
		Node rival = this.cluster.start("orphan");
		assertRivalGets(rival, "orphan", naive);
		assertThat(first.leads("held")).isTrue();
		assertThat(first.leads("orphan")).isFalse();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void leaseThatCouldNotBeReleasedIsNotKeptAlive(boolean naive) {
		Node first = start(naive, "held", "orphan");
		soon().until(() -> first.leads("held") && first.leads("orphan"));
		first.store().fail("release", Fault.LOSE_REQUEST);
		first.store().fail("observe", Fault.LOSE_REQUEST);
		first.elections().election("orphan").resign();
		Node rival = this.cluster.start("orphan");
		assertRivalGets(rival, "orphan", naive);
		assertThat(first.leads("held")).isTrue();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void lostRoleIsNoticedAlthoughAnOrphanMakesUpTheNumber(boolean naive) {
		Node first = start(naive, "lost");
		soon().until(() -> first.leads("lost"));
		first.store().fail("observe", Fault.LOSE_REQUEST);
		Node rival = this.cluster.start("lost");
		soon().until(() -> rival.store().requests("observe") > 0);
		this.cluster.table()
			.sql("insert into leader_lease (namespace, role, epoch, holder, tenure, acquired_at_us, expires_at_us, ttl_us) "
					+ "select namespace, 'orphan', 1, holder, 'unknown', acquired_at_us, expires_at_us, ttl_us "
					+ "from leader_lease where role = 'lost'")
			.update();
		this.cluster.table()
			.sql("update leader_lease set holder = null, tenure = null, expires_at_us = 0 where role = 'lost'")
			.update();
		soon().until(() -> rival.leads("lost"));
		if (naive) {
			Awaitility.await()
				.during(NAIVE_TTL.multipliedBy(3).dividedBy(2))
				.atMost(Duration.ofSeconds(10))
				.until(() -> first.leads("lost") && rival.leads("lost"));
		}
		else {
			Awaitility.await().atMost(TTL.multipliedBy(2)).until(() -> !first.leads("lost"));
			assertThat(rival.leads("lost")).isTrue();
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void memberWhoseNetworkIsCutEndsItsTermBeforeTheNextBegins(boolean requestsArriveLate) {
		DriverManagerDataSource database = this.server.newDatabase();
		this.cluster = new Cluster(database, TTL);
		try (FaultProxy proxy = new FaultProxy(this.server.port())) {
			Node first = this.cluster.start(this.server.through(database, proxy.port()), (store) -> store, "a");
			soon().until(() -> first.leads("a"));
			Node rival = this.cluster.start("a");
			if (requestsArriveLate) {
				proxy.holdRequests();
			}
			else {
				proxy.dropAnswers();
			}
			Awaitility.await().pollInterval(Duration.ofMillis(1)).atMost(Duration.ofSeconds(20)).until(() -> {
				boolean rivalLeads = rival.leads("a");
				// Read in this order: if both were true, both led at the second reading.
				assertThat(rivalLeads && first.leads("a")).isFalse();
				return rivalLeads;
			});
			proxy.heal();
			// What was held back arrives now, and must not count.
			Awaitility.await()
				.during(TTL.multipliedBy(2))
				.atMost(Duration.ofSeconds(20))
				.until(() -> rival.leads("a") && !first.leads("a"));
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "ANSWER_LATE", "LOSE_ANSWER" })
	void grantThatIsHeardOfTooLateIsGivenBack(Fault fault) {
		Node first = start(false, "held");
		soon().until(() -> first.leads("held"));
		if (fault == Fault.LOSE_ANSWER) {
			loseNextGrant(first, "late");
		}
		else {
			first.store().fail("acquire", fault);
			first.elections().join("late");
			soon().until(() -> holder("late").equals(first.id()));
		}
		Node rival = this.cluster.start("late");
		soon().until(() -> rival.leads("late"));
		first.store().heal();
		Awaitility.await()
			.during(TTL.multipliedBy(2))
			.atMost(Duration.ofSeconds(20))
			.until(() -> rival.leads("late") && !first.leads("late"));
	}

	@Test
	void releaseThatFailsAtOnceIsNotTriedAllTheTime() {
		Node first = start(false, "orphan");
		soon().until(() -> first.leads("orphan"));
		first.store().fail("release", Fault.LOSE_REQUEST);
		int before = first.store().requests("release");
		first.elections().election("orphan").resign();
		soon().until(() -> first.store().requests("release") > before + 1);
		Node rival = this.cluster.start("orphan");
		soon().until(() -> rival.leads("orphan"));
		// It ran out after a ttl; by the renew interval there were three or four tries.
		assertThat(first.store().requests("release") - before).isLessThan(10);
	}

	/** Starts the one that is attacked. */
	private Node start(boolean naive, String... roles) {
		DriverManagerDataSource database = this.server.newDatabase();
		this.cluster = new Cluster(database, naive ? NAIVE_TTL : TTL);
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

	/** It holds the role then and does not know it, nor find it by looking. */
	private void loseNextGrant(Node node, String role) {
		node.store().afterLosses(() -> node.store().fail("observe", Fault.LOSE_REQUEST));
		node.store().fail("acquire", Fault.LOSE_ANSWER);
		node.elections().join(role);
		soon().until(() -> holder(role).equals(node.id()));
	}

	private void assertRivalGets(Node rival, String role, boolean naive) {
		if (naive) {
			Awaitility.await()
				.during(NAIVE_TTL.multipliedBy(3))
				.atMost(Duration.ofSeconds(20))
				.until(() -> !rival.leads(role));
		}
		else {
			Awaitility.await().atMost(TTL.multipliedBy(4)).until(() -> rival.leads(role));
		}
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
		return Awaitility.await().pollInterval(Duration.ofMillis(5)).atMost(Duration.ofSeconds(20));
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
