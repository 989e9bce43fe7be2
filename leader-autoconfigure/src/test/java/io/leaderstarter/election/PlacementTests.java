package io.leaderstarter.election;

import java.time.Duration;
import java.util.Comparator;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.leaderstarter.election.FaultyLeaseStore.Fault;
import io.leaderstarter.election.membership.Placement;
import io.leaderstarter.election.membership.Rendezvous;
import io.leaderstarter.election.state.LeaseTiming;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link Placement}, with members that share a database.
 */
@Order(2)
@Tag("verify")
class PlacementTests {

	/** Members list each other once per ttl, so that is short. */
	private static final LeaseTiming BRIEF = LeaseTiming.of(Duration.ofSeconds(3), null, null);

	/** Who waits for others does so for a part of the ttl, so that is long. */
	private static final LeaseTiming LASTING = LeaseTiming.of(Duration.ofMinutes(1), Duration.ofMillis(300),
			Duration.ofSeconds(10));

	/**
	 * A tenth of the roles moves per ttl, and one that came back is kept for ten ttls.
	 */
	private static final Duration PATIENCE = Duration.ofMinutes(3);

	private Cluster cluster = new Cluster();

	@AfterEach
	void stop() {
		this.cluster.close();
	}

	@Test
	void freeRoleGoesToTheHighestPriorityAndNobodyIsDisturbedForIt() {
		Cluster.Node low = start(LASTING, Placement.FIRST_COME, 0, "invoices");
		await().atMost(PATIENCE).until(() -> low.leads("invoices"));
		Cluster.Node high = start(LASTING, Placement.FIRST_COME, 2, "invoices");
		awaitKnown(2, high);
		// It lists those that were there before it at once.
		Cluster.Node middle = start(LASTING, Placement.FIRST_COME, 1, "invoices");
		awaitKnown(3, middle);
		assertThat(low.notified).containsExactly("granted 1");
		low.elections().stop();
		await().atMost(PATIENCE).until(() -> high.leads("invoices"));
		assertThat(middle.notified).isEmpty();
		high.elections().election("invoices").pause();
		await().atMost(PATIENCE).until(() -> middle.leads("invoices"));
	}

	@Test
	void lowerPriorityLeadsSoonIfTheHigherOneDoesNot() {
		Cluster.Node high = start(Cluster.LASTING, Placement.FIRST_COME, 1, "invoices");
		await().atMost(PATIENCE).until(() -> high.leads("invoices"));
		Cluster.Node third = start(Cluster.LASTING, Placement.FIRST_COME, 1, "invoices");
		third.store().fail("acquire", Fault.LOSE_REQUEST);
		awaitKnown(2, third);
		Cluster.Node low = start(Cluster.LASTING, Placement.FIRST_COME, 0, "invoices");
		awaitKnown(3, low);
		high.elections().stop();
		await().atMost(PATIENCE).until(() -> low.elections().election("invoices").vacancy() != null);
		assertThat(low.elections().election("invoices").vacancy()).isBetween(Cluster.LASTING.ttl().dividedBy(6),
				Cluster.LASTING.ttl());
	}

	@Test
	void memberThatLeadsAloneHandsNothingOver() {
		Cluster.Node a = start(BRIEF, Placement.SPREAD, 0, "invoices", "reports");
		Cluster.Node watcher = start(BRIEF, Placement.SPREAD, 9);
		awaitKnown(2, a, watcher);
		int announced = a.store().requests("announce");
		await().atMost(PATIENCE).until(() -> a.store().requests("announce") >= announced + 4);
		assertThat(a.notified).hasSizeGreaterThan(1)
			.allMatch((notified) -> notified.startsWith("granted") || notified.endsWith("LEASE_EXPIRED"));
		await().atMost(PATIENCE).until(() -> a.leads("invoices") && a.leads("reports"));
	}

	@Test
	void crashedLeaderIsNotWaitedFor() {
		Cluster.Node first = start(BRIEF, Placement.SPREAD, 1, "invoices");
		await().atMost(PATIENCE).until(() -> first.leads("invoices"));
		Cluster.Node second = start(LASTING, Placement.SPREAD, 0, "invoices");
		awaitKnown(2, second);
		await().atMost(PATIENCE)
			.until(() -> first.id().equals(second.elections().status("invoices").leader()) || second.leads("invoices"));
		first.store().failAll(Fault.HANG);
		await().atMost(PATIENCE).until(() -> second.elections().election("invoices").vacancy() != null);
		assertThat(second.elections().election("invoices").vacancy()).isLessThan(LASTING.ttl().dividedBy(6));
	}

	/**
	 * Done again if this process was paused for so long that leases may have run out,
	 * which moves roles too.
	 */
	@Test
	void rolesAreSpreadWhenMembersComeAndGo() {
		for (int tries = 1;; tries++) {
			try {
				assertThatRolesAreSpreadWhenMembersComeAndGo();
				return;
			}
			catch (AssertionError ex) {
				Duration pause = this.cluster.longestPause();
				if (tries == 3 || pause.compareTo(BRIEF.ttl().dividedBy(4)) < 0) {
					throw ex;
				}
				System.out.printf("Done again, as this process was paused for %d ms: %s%n", pause.toMillis(),
						ex.getMessage());
				this.cluster.close();
				this.cluster = new Cluster();
			}
		}
	}

	/**
	 * Where members have to poll, one that polls seldom, as the machine is busy, can be
	 * passed over, and gets the role by another move. Few are.
	 */
	private void assertThatRolesAreSpreadWhenMembersComeAndGo() {
		String[] roles = IntStream.range(0, 60).mapToObj((i) -> "role-" + i).toArray(String[]::new);
		Cluster.Node a = start(BRIEF, Placement.SPREAD, 0, roles);
		await().atMost(PATIENCE).until(() -> led(a) == 60);
		Cluster.Node b = start(BRIEF, Placement.SPREAD, 0, roles);
		await().atMost(PATIENCE).until(() -> isAsPreferred(roles, a, b));
		assertThatTermsAreBetween(60 + led(b), 60 + 2 * led(b), a, b);
		Cluster.Node c = start(BRIEF, Placement.SPREAD, 0, roles);
		await().atMost(PATIENCE).until(() -> isAsPreferred(roles, a, b, c));
		int moved = ledFirst(roles, b, a) + led(c);
		int terms = assertThatTermsAreBetween(60 + moved, 60 + 2 * moved, a, b, c);
		int ledByC = led(c);
		c.elections().stop();
		await().atMost(PATIENCE).until(() -> isAsPreferred(roles, a, b));
		assertThatTermsAreBetween(terms + ledByC, terms + 2 * ledByC, a, b, c);
		assertThat(Stream.of(a, b, c)
			.flatMap((node) -> node.notified.stream())
			.filter((notified) -> notified.contains("revoked")))
			.allMatch((notified) -> notified.endsWith("REBALANCED") || notified.endsWith("SHUTDOWN"));
	}

	private static int led(Cluster.Node node) {
		return (int) node.elections().all().stream().filter((election) -> election.isLeader()).count();
	}

	/** How many roles the one is preferred for if there are only two. */
	private static int ledFirst(String[] roles, Cluster.Node one, Cluster.Node other) {
		return (int) Stream.of(roles).filter((role) -> preferred(role, one, other) == one).count();
	}

	private static boolean isAsPreferred(String[] roles, Cluster.Node... nodes) {
		return Stream.of(roles).allMatch((role) -> preferred(role, nodes).leads(role));
	}

	private static Cluster.Node preferred(String role, Cluster.Node... nodes) {
		long hash = Rendezvous.hash(role);
		return Stream.of(nodes)
			.max(Comparator.comparing((node) -> Rendezvous.weigh(hash, Rendezvous.hash(node.id()))))
			.orElseThrow();
	}

	/** Members are notified a little later than they lead. */
	private static int assertThatTermsAreBetween(int least, int most, Cluster.Node... nodes) {
		await().atMost(PATIENCE).until(() -> terms(nodes) >= least);
		int terms = terms(nodes);
		assertThat(terms).isLessThanOrEqualTo(most);
		return terms;
	}

	/** All terms that there were. */
	private static int terms(Cluster.Node... nodes) {
		return (int) Stream.of(nodes)
			.flatMap((node) -> node.notified.stream())
			.filter((notified) -> notified.startsWith("granted"))
			.count();
	}

	private Cluster.Node start(LeaseTiming timing, Placement placement, int priority, String... roles) {
		return this.cluster.start(timing, placement, (role) -> priority, roles);
	}

	private static void awaitKnown(int members, Cluster.Node... nodes) {
		await().atMost(PATIENCE)
			.until(() -> Stream.of(nodes).allMatch((node) -> node.elections().members().size() == members));
	}

}
