package io.leaderstarter.election;

import java.time.Duration;
import java.util.Comparator;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.leaderstarter.election.FaultyLeaseStore.Fault;
import io.leaderstarter.testsupport.MemoryDatabases;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link Placement}, with members that share a database.
 */
class PlacementTests {

	private static final Duration TTL = Duration.ofSeconds(3);

	/**
	 * A tenth of the roles moves per ttl, and one that came back is kept for ten ttls.
	 */
	private static final Duration PATIENCE = Duration.ofMinutes(3);

	private final Cluster cluster = new Cluster(MemoryDatabases.newH2(), TTL);

	@AfterEach
	void stop() {
		this.cluster.close();
	}

	@Test
	void freeRoleGoesToTheHighestPriorityAndNobodyIsDisturbedForIt() {
		Cluster.Node low = start(Placement.FIRST_COME, 0, "invoices");
		await().atMost(PATIENCE).until(() -> low.leads("invoices"));
		Cluster.Node middle = start(Placement.FIRST_COME, 1, "invoices");
		Cluster.Node high = start(Placement.FIRST_COME, 2, "invoices");
		awaitAllKnown(low, middle, high);
		assertThat(low.told).containsExactly("granted 1");
		low.elections().stop();
		await().atMost(PATIENCE).until(() -> high.leads("invoices"));
		assertThat(middle.told).isEmpty();
		high.elections().election("invoices").pause();
		await().atMost(PATIENCE).until(() -> middle.leads("invoices"));
	}

	@Test
	void lowerPriorityLeadsSoonIfTheHigherOneDoesNot() {
		Cluster.Node high = start(Placement.FIRST_COME, 1, "invoices");
		await().atMost(PATIENCE).until(() -> high.leads("invoices"));
		Cluster.Node low = start(Placement.FIRST_COME, 0, "invoices");
		Cluster.Node third = start(Placement.FIRST_COME, 1, "invoices");
		awaitAllKnown(high, low, third);
		third.store().fail("acquire", Fault.LOSE_REQUEST);
		high.elections().stop();
		await().atMost(PATIENCE).until(() -> low.elections().election("invoices").vacancy() != null);
		assertThat(low.elections().election("invoices").vacancy()).isBetween(TTL.dividedBy(6), TTL);
	}

	@Test
	void memberThatLeadsAloneHandsNothingOver() {
		Cluster.Node a = start(Placement.SPREAD, 0, "invoices", "reports");
		Cluster.Node watcher = start(Placement.SPREAD, 9);
		awaitAllKnown(a, watcher);
		int announced = a.store().requests("announce");
		await().atMost(PATIENCE).until(() -> a.store().requests("announce") >= announced + 4);
		assertThat(a.told).containsExactlyInAnyOrder("granted 1", "granted 1");
	}

	@Test
	void crashedLeaderIsNotWaitedFor() {
		Cluster.Node first = start(Placement.SPREAD, 1, "invoices");
		await().atMost(PATIENCE).until(() -> first.leads("invoices"));
		Cluster.Node second = start(Placement.SPREAD, 0, "invoices");
		awaitAllKnown(first, second);
		first.store().failAll(Fault.HANG);
		await().atMost(PATIENCE).until(() -> second.elections().election("invoices").vacancy() != null);
		assertThat(second.elections().election("invoices").vacancy()).isLessThan(TTL.dividedBy(6));
	}

	/**
	 * Where members have to look, one that looks seldom, as the machine is busy, can be
	 * passed over, and gets the role by another move. Few are.
	 */
	@Test
	void rolesAreSpreadWhenMembersComeAndGo() {
		String[] roles = IntStream.range(0, 60).mapToObj((i) -> "role-" + i).toArray(String[]::new);
		Cluster.Node a = start(Placement.SPREAD, 0, roles);
		await().atMost(PATIENCE).until(() -> led(a) == 60);
		Cluster.Node b = start(Placement.SPREAD, 0, roles);
		await().atMost(PATIENCE).until(() -> isAsPreferred(roles, a, b));
		assertThat(terms(a, b)).isBetween(60L + led(b), 60L + 2 * led(b));
		Cluster.Node c = start(Placement.SPREAD, 0, roles);
		await().atMost(PATIENCE).until(() -> isAsPreferred(roles, a, b, c));
		long terms = terms(a, b, c);
		long moved = ledFirst(roles, b, a) + led(c);
		assertThat(terms).isBetween(60 + moved, 60 + 2 * moved);
		int ledByC = led(c);
		c.elections().stop();
		await().atMost(PATIENCE).until(() -> isAsPreferred(roles, a, b));
		assertThat(terms(a, b, c)).isBetween(terms + ledByC, terms + 2L * ledByC);
		assertThat(Stream.of(a, b, c).flatMap((node) -> node.told.stream()).filter((told) -> told.contains("revoked")))
			.allMatch((told) -> told.endsWith("REBALANCED") || told.endsWith("SHUTDOWN"));
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

	/** All terms that there were. */
	private static long terms(Cluster.Node... nodes) {
		return Stream.of(nodes)
			.flatMap((node) -> node.told.stream())
			.filter((told) -> told.startsWith("granted"))
			.count();
	}

	private Cluster.Node start(Placement placement, int priority, String... roles) {
		return this.cluster.start(placement, (role) -> priority, roles);
	}

	private static void awaitAllKnown(Cluster.Node... nodes) {
		await().atMost(PATIENCE)
			.until(() -> Stream.of(nodes).allMatch((node) -> node.elections().members().size() == nodes.length));
	}

}
