package io.leaderstarter.simulation;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.leaderstarter.election.RoleElection;
import io.leaderstarter.election.membership.Placement;
import io.leaderstarter.election.membership.Rendezvous;
import io.leaderstarter.election.state.LeaseTiming;
import io.leaderstarter.simulation.SimulatedMember.Fault;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static io.leaderstarter.simulation.SimulatedCluster.LASTING;
import static io.leaderstarter.simulation.SimulatedCluster.REQUESTS;
import static io.leaderstarter.simulation.SimulatedCluster.SOON;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Placement}, with members that share a store.
 */
class PlacementTests {

	/** Members list each other once per ttl. */
	private static final LeaseTiming BRIEF = LeaseTiming.of(Duration.ofSeconds(3), null, null);

	/** Who waits for others does so for a part of the ttl. */
	private static final LeaseTiming LONG = LeaseTiming.of(Duration.ofMinutes(1), Duration.ofMillis(300),
			Duration.ofSeconds(10));

	@RegisterExtension
	private final SimulatedCluster cluster = new SimulatedCluster();

	@Test
	void freeRoleGoesToTheHighestPriorityAndNobodyIsDisturbedForIt() {
		SimulatedMember low = start(LONG, Placement.FIRST_COME, 0, "invoices");
		this.cluster.await(SOON, () -> low.leads("invoices"));
		SimulatedMember high = start(LONG, Placement.FIRST_COME, 2, "invoices");
		awaitKnown(SOON, 2, high);
		// It lists those that were there before it at once.
		SimulatedMember middle = start(LONG, Placement.FIRST_COME, 1, "invoices");
		awaitKnown(SOON, 3, middle);
		assertThat(low.notified()).containsExactly("granted 1");
		low.elections().stop();
		this.cluster.await(SOON, () -> high.leads("invoices"));
		assertThat(middle.notified()).isEmpty();
		this.cluster.await(SOON, () -> high.id().equals(middle.status("invoices").leader()));
		high.election("invoices").pause();
		this.cluster.await(SOON, () -> middle.leads("invoices"));
	}

	@Test
	void lowerPriorityLeadsSoonIfTheHigherOneDoesNot() {
		SimulatedMember high = start(LASTING, Placement.FIRST_COME, 1, "invoices");
		this.cluster.await(SOON, () -> high.leads("invoices"));
		SimulatedMember third = start(LASTING, Placement.FIRST_COME, 1, "invoices");
		third.fail("acquire", Fault.LOSE_REQUEST);
		awaitKnown(SOON, 2, third);
		SimulatedMember low = start(LASTING, Placement.FIRST_COME, 0, "invoices");
		awaitKnown(SOON, 3, low);
		this.cluster.await(SOON, () -> high.id().equals(low.status("invoices").leader()));
		high.elections().stop();
		Duration second = LASTING.ttl().dividedBy(6);
		this.cluster.await(second.plus(SOON), () -> low.election("invoices").vacancy() != null);
		assertThat(low.election("invoices").vacancy()).isBetween(second, second.plus(REQUESTS));
	}

	@Test
	void memberThatLeadsAloneHandsNothingOver() {
		SimulatedMember a = start(BRIEF, Placement.SPREAD, 0, "invoices", "reports");
		SimulatedMember watcher = start(BRIEF, Placement.SPREAD, 9);
		awaitKnown(listings(1), 2, a, watcher);
		int announced = a.requests("announce");
		this.cluster.await(listings(4), () -> a.requests("announce") >= announced + 4);
		assertThat(a.notified()).containsExactly("granted 1", "granted 1");
		assertThat(a.leads("invoices") && a.leads("reports")).isTrue();
	}

	@Test
	void crashedLeaderIsNotWaitedFor() {
		SimulatedMember first = start(BRIEF, Placement.SPREAD, 1, "invoices");
		this.cluster.await(SOON, () -> first.leads("invoices"));
		SimulatedMember second = start(LONG, Placement.SPREAD, 0, "invoices");
		awaitKnown(SOON, 2, second);
		this.cluster.await(SOON, () -> first.id().equals(second.status("invoices").leader()));
		first.host().kill();
		this.cluster.await(BRIEF.ttl().plus(SOON), () -> second.election("invoices").vacancy() != null);
		assertThat(second.election("invoices").vacancy()).isLessThan(REQUESTS);
	}

	/** Each role moves once, to the member that is preferred for it. */
	@Test
	void rolesAreSpreadWhenMembersComeAndGo() {
		String[] roles = IntStream.range(0, 60).mapToObj((i) -> "role-" + i).toArray(String[]::new);
		SimulatedMember a = start(BRIEF, Placement.SPREAD, 0, roles);
		this.cluster.await(SOON, () -> led(a) == 60);
		SimulatedMember b = start(BRIEF, Placement.SPREAD, 0, roles);
		this.cluster.await(untilSpread(roles, a, b), () -> isAsPreferred(roles, a, b));
		assertTerms(60 + led(b), a, b);
		SimulatedMember c = start(BRIEF, Placement.SPREAD, 0, roles);
		this.cluster.await(untilSpread(roles, a, b, c), () -> isAsPreferred(roles, a, b, c));
		int terms = 60 + ledFirst(roles, b, a) + led(c);
		assertTerms(terms, a, b, c);
		int ledByC = led(c);
		// Until then, who handed the last role over lets others go first.
		this.cluster.pass(BRIEF.ttl().dividedBy(3));
		c.elections().stop();
		this.cluster.await(SOON, () -> isAsPreferred(roles, a, b));
		assertTerms(terms + ledByC, a, b, c);
		assertThat(Stream.of(a, b, c)
			.flatMap((member) -> member.notified().stream())
			.filter((notified) -> notified.contains("revoked")))
			.allMatch((notified) -> notified.endsWith("REBALANCED") || notified.endsWith("SHUTDOWN"));
	}

	private static int led(SimulatedMember member) {
		return (int) member.elections().all().stream().filter((election) -> election.isLeader()).count();
	}

	/** How many roles the one is preferred for, of all members that there are. */
	private static int ledFirst(String[] roles, SimulatedMember one, SimulatedMember... others) {
		SimulatedMember[] all = Stream.concat(Stream.of(one), Stream.of(others)).toArray(SimulatedMember[]::new);
		return (int) Stream.of(roles).filter((role) -> preferred(role, all) == one).count();
	}

	/**
	 * A member hands over what it has led for three ttls, so from the fourth list on at
	 * the latest, which is the third that shows a member that came: a tenth of what it
	 * leads at each list.
	 */
	private static Duration untilSpread(String[] roles, SimulatedMember... members) {
		int lists = 0;
		for (SimulatedMember member : members) {
			int left = led(member);
			int times = 0;
			for (int kept = ledFirst(roles, member, members); left > kept; times++) {
				left -= Math.max(1, left / 10);
			}
			lists = Math.max(lists, times);
		}
		return listings(3 + lists).plus(SOON);
	}

	private static boolean isAsPreferred(String[] roles, SimulatedMember... members) {
		return Stream.of(roles).allMatch((role) -> preferred(role, members).leads(role));
	}

	private static SimulatedMember preferred(String role, SimulatedMember... members) {
		long hash = Rendezvous.hash(role);
		return Stream.of(members)
			.max(Comparator.comparing((member) -> Rendezvous.weigh(hash, Rendezvous.hash(member.id()))))
			.orElseThrow();
	}

	/**
	 * By then members have been notified of what they lead, and have seen what others do.
	 */
	private void assertTerms(int expected, SimulatedMember... members) {
		this.cluster.pass(SOON);
		assertThat(Stream.of(members)
			.flatMap((member) -> member.notified().stream())
			.filter((notified) -> notified.startsWith("granted"))).hasSize(expected);
	}

	private SimulatedMember start(LeaseTiming timing, Placement placement, int priority, String... roles) {
		return this.cluster.member().timing(timing).placement(placement).priority(priority).start(roles);
	}

	private void awaitKnown(Duration bound, int count, SimulatedMember... members) {
		this.cluster.await(bound,
				() -> Stream.of(members).allMatch((member) -> member.elections().members().size() == count));
	}

	/** By when a member has listed the others so often again. */
	private static Duration listings(int times) {
		return BRIEF.ttl().multipliedBy(11 * times).dividedBy(10).plus(REQUESTS.multipliedBy(times));
	}

}
