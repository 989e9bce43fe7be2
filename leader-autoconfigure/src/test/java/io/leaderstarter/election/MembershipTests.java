package io.leaderstarter.election;

import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import javax.sql.DataSource;

import io.leaderstarter.election.FaultyLeaseStore.Fault;
import io.leaderstarter.election.state.LeaseTiming;
import io.leaderstarter.testsupport.PostgresServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link Membership}, with members that share a database.
 */
class MembershipTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	/** The list is asked for once per ttl, so that is short. */
	private final Cluster cluster = new Cluster(Cluster.BRIEF);

	@AfterEach
	void stop() {
		this.cluster.close();
	}

	@Test
	void membersKnowEachOtherAndWhatEachStandsFor() {
		Cluster.Node a = this.cluster.start("invoices", "reports");
		Cluster.Node b = this.cluster.start("invoices");
		for (Cluster.Node node : List.of(a, b)) {
			await().atMost(PATIENCE).untilAsserted(() -> {
				assertThat(members(node)).isEqualTo(ids(a, b));
				assertThat(candidates(node, "invoices")).isEqualTo(ids(a, b));
				assertThat(candidates(node, "reports")).isEqualTo(ids(a));
			});
			assertThat(candidates(node, "unknown")).isEmpty();
		}
	}

	@Test
	void memberThatStopsIsNotListedAnyMoreAndIsAgainWhenItStarts() {
		Cluster.Node a = this.cluster.start("invoices");
		Cluster.Node b = this.cluster.start("invoices");
		await().atMost(PATIENCE).until(() -> members(a).equals(ids(a, b)));
		b.elections().stop();
		assertThat(this.cluster.table().sql("select member_id from leader_member").query(String.class).list())
			.containsExactly(a.id());
		assertThat(b.elections().members()).isEmpty();
		await().atMost(PATIENCE).until(() -> members(a).equals(ids(a)));
		b.elections().start();
		b.elections().compete();
		await().atMost(PATIENCE).until(() -> members(a).equals(ids(a, b)) && members(b).equals(ids(a, b)));
	}

	@Test
	void roleThatIsPausedIsNotStoodFor() {
		Cluster.Node a = this.cluster.start("invoices", "reports");
		await().atMost(PATIENCE).until(() -> candidates(a, "invoices").equals(ids(a)));
		a.elections().election("invoices").pause();
		// A list that is too old shows nobody at all.
		await().atMost(PATIENCE)
			.until(() -> candidates(a, "reports").equals(ids(a)) && candidates(a, "invoices").isEmpty());
		a.elections().election("invoices").resume();
		await().atMost(PATIENCE).until(() -> candidates(a, "invoices").equals(ids(a)));
	}

	@Test
	void listIsAskedForOncePerTtl() {
		long begun = System.nanoTime();
		Cluster.Node a = this.cluster.start("invoices");
		await().atMost(PATIENCE).until(() -> a.store().requests("announce") >= 4);
		Duration took = Duration.ofNanos(System.nanoTime() - begun);
		// The first came at once.
		assertThat(took).isGreaterThan(Cluster.BRIEF.ttl().multipliedBy(3).minusMillis(100));
	}

	@Test
	void listThatCannotBeHadHarmsNobody() {
		try (Cluster lasting = new Cluster()) {
			Cluster.Node a = lasting.make("invoices");
			a.store().fail("announce", Fault.LOSE_REQUEST);
			a.elections().start();
			a.elections().compete();
			await().atMost(PATIENCE).until(() -> a.leads("invoices"));
			int renewals = a.store().requests("renew");
			await().atMost(PATIENCE).until(() -> a.store().requests("renew") >= renewals + 5);
			assertThat(a.store().requests("announce")).isPositive();
			assertThat(a.notified).containsExactly("granted 1");
			assertThat(a.elections().storeStatus().isReachable()).isTrue();
		}
	}

	@Tag("verify")
	@Test
	void listThatIsLockedDoesNotEndTerms() throws Exception {
		DataSource postgres = PostgresServer.newDatabase();
		LeaseTiming timing = LeaseTiming.of(Duration.ofSeconds(12), Duration.ofSeconds(1), null);
		try (Cluster locked = new Cluster(postgres, timing)) {
			Cluster.Node a = locked.start("invoices");
			await().atMost(PATIENCE).until(() -> a.leads("invoices") && members(a).equals(ids(a)));
			try (Connection blocker = postgres.getConnection(); Statement lock = blocker.createStatement()) {
				blocker.setAutoCommit(false);
				lock.executeUpdate("lock table leader_member");
				int announced = a.store().requests("announce");
				await().atMost(PATIENCE).until(() -> a.store().requests("announce") > announced);
				int renewals = a.store().requests("renew");
				await().atMost(PATIENCE).until(() -> a.store().requests("renew") >= renewals + 3);
				blocker.rollback();
			}
			assertThat(a.notified).containsExactly("granted 1");
			assertThat(a.leads("invoices")).isTrue();
		}
	}

	@Test
	void memberThatStopsWhileTheStoreIsAwayDoesNotWaitForTheList() {
		Cluster.Node a = this.cluster.start("invoices");
		await().atMost(PATIENCE).until(() -> a.leads("invoices") && members(a).equals(ids(a)));
		a.store().failAll(Fault.LOSE_REQUEST);
		await().atMost(PATIENCE).until(() -> !a.elections().storeStatus().isReachable());
		a.elections().stop();
		assertThat(a.store().requests("withdraw")).isZero();
		a.store().heal();
		a.elections().start();
		a.elections().compete();
		await().atMost(PATIENCE).until(() -> a.leads("invoices") && members(a).equals(ids(a)));
		a.elections().stop();
		assertThat(a.store().requests("withdraw")).isOne();
	}

	@Test
	void whatStrangersWroteIsNoCandidate() {
		Cluster.Node a = this.cluster.start("invoices");
		await().atMost(PATIENCE).until(() -> members(a).equals(ids(a)));
		this.cluster.table()
			.sql("insert into leader_member select namespace, 'stranger', 1, 1000000000, seen_at_us, 'x' || char(0) || 'roles.5=AA' from leader_member")
			.update();
		await().atMost(PATIENCE)
			.until(() -> members(a).contains("stranger") && candidates(a, "invoices").equals(ids(a))
					&& a.leads("invoices"));
	}

	private static List<String> ids(Cluster.Node... nodes) {
		return Stream.of(nodes).map(Cluster.Node::id).sorted().toList();
	}

	private static List<String> members(Cluster.Node node) {
		return node.elections().members().stream().map((member) -> member.id()).toList();
	}

	private static List<String> candidates(Cluster.Node node, String role) {
		return node.elections().candidates(role).stream().map((candidate) -> candidate.member().id()).toList();
	}

}
