package io.leaderstarter.simulation;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

import io.leaderstarter.LeaderElection;
import io.leaderstarter.Leadership;
import io.leaderstarter.election.DefaultLeaderElections;
import io.leaderstarter.election.RoleCall;
import io.leaderstarter.election.spi.LeaseRequest;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.StoreIdentity;
import io.leaderstarter.election.spi.TermGate;
import io.leaderstarter.election.state.LeaseTiming;
import io.leaderstarter.simulation.SimulatedMember.Fault;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.leaderstarter.simulation.SimulatedCluster.BRIEF;
import static io.leaderstarter.simulation.SimulatedCluster.LASTING;
import static io.leaderstarter.simulation.SimulatedCluster.REQUESTS;
import static io.leaderstarter.simulation.SimulatedCluster.SOON;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link DefaultLeaderElections}.
 */
class DefaultLeaderElectionsTests {

	/** By then a lease was renewed so often. */
	private static final Duration FOUR_RENEWALS = LASTING.renewInterval().plus(REQUESTS).multipliedBy(4);

	@RegisterExtension
	private final SimulatedCluster cluster = new SimulatedCluster();

	@Test
	void oneLeadsAndTheOtherFollowsAtOnceWhenItStops() {
		SimulatedMember first = startLeader("a");
		SimulatedMember second = this.cluster.start("a");
		this.cluster.await(SOON, () -> first.id().equals(second.status("a").leader()));
		assertThat(second.leads("a")).isFalse();
		first.elections().stop();
		assertThat(first.notified()).containsExactly("granted 1", "revoked 1 SHUTDOWN");
		this.cluster.await(SOON, () -> second.leads("a"));
		assertThat(second.election("a").leadership()).get().extracting(Leadership::epoch).isEqualTo(2L);
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void memberThatIsCutOffEndsItsTermBeforeTheNextBegins(boolean knownAtOnce) {
		SimulatedMember first = startBriefLeader("a");
		SimulatedMember second = this.cluster.start("a");
		if (knownAtOnce) {
			first.failAll(Fault.LOSE_REQUEST);
		}
		else {
			first.wire().setCut(true);
		}
		this.cluster.await(BRIEF.ttl().plus(SOON), () -> {
			assertThat(second.leads("a") && first.leads("a")).isFalse();
			return second.leads("a");
		});
		assertThat(first.notified()).containsExactly("granted 1", "revoked 1 LEASE_EXPIRED");
	}

	@Test
	void whoLostARaceTakesTheRoleWhenTheLeaseOfTheWinnerRunsOut() {
		LeaseTiming timing = LeaseTiming.of(Duration.ofSeconds(2), null, null);
		AtomicBoolean lost = new AtomicBoolean();
		// Members that are notified of free roles poll rarely.
		SimulatedMember member = this.cluster.member()
			.timing(timing)
			.pollInterval(Duration.ofSeconds(50))
			.before("acquire", () -> {
				if (lost.compareAndSet(false, true)) {
					takeAndCrash("a", timing.ttl());
				}
			})
			.start("a");
		this.cluster.await(timing.ttl().plus(SOON), () -> member.leads("a"));
		assertThat(lost).isTrue();
	}

	private void takeAndCrash(String role, Duration ttl) {
		assertThat(this.cluster.server()
			.acquire(new StoreIdentity(SimulatedCluster.NAMESPACE, "quicker", ttl),
					List.of(new LeaseRequest(role, 0, "quicker", null, false))))
			.hasSize(1);
	}

	@Test
	void deadlineIsKeptWhileTheRenewingThreadHangs() {
		SimulatedMember member = startBriefLeader("a");
		member.fail("renew", Fault.HANG);
		this.cluster.await(BRIEF.ttl(), () -> member.notified().size() > 1);
		assertThat(member.notified()).containsExactly("granted 1", "revoked 1 LEASE_EXPIRED");
		assertThat(member.leads("a")).isFalse();
	}

	@Test
	void whoLedBeforeAnOwnTermIsNotShownAfterIt() {
		SimulatedMember first = startLeader("a");
		SimulatedMember second = this.cluster.member().timing(BRIEF).start("a");
		this.cluster.await(SOON, () -> first.id().equals(second.status("a").leader()));
		first.elections().stop();
		this.cluster.await(SOON, () -> second.leads("a"));
		second.failAll(Fault.LOSE_REQUEST);
		this.cluster.await(BRIEF.ttl(), () -> second.notified().size() > 1);
		assertThat(second.notified()).containsExactly("granted 2", "revoked 2 LEASE_EXPIRED");
		assertThat(second.status("a")).satisfies((status) -> {
			assertThat(status.leader()).isNull();
			assertThat(status.epoch()).isEqualTo(2);
			assertThat(status.age()).isNull();
		});
	}

	@Test
	void leaseThatSeemsToLastForYearsIsOverAfterItsTtl() {
		SimulatedMember member = startLeader("other");
		Duration ttl = Duration.ofSeconds(1);
		this.cluster.write("garbage",
				new LeaseServer.Lease(5, "somebody", "unknown", Long.MAX_VALUE, ttl.toNanos(), 1));
		member.elections().join("garbage");
		this.cluster.holds(ttl, () -> !member.leads("garbage"));
		this.cluster.await(SOON, () -> member.leads("garbage"));
		assertThat(this.cluster.epoch("garbage")).isEqualTo(6);
	}

	@Test
	void leaseThatSomebodyElseHoldsIsLostAtTheNextRenewal() {
		SimulatedMember member = startLeader("a");
		this.cluster.write("a", 2, "thief");
		this.cluster.await(LASTING.renewInterval().plus(REQUESTS),
				() -> member.notified().equals(List.of("granted 1", "revoked 1 SUPERSEDED")));
		assertThat(member.status("a").leader()).isIn("thief", null);
	}

	@Test
	void gateIsWaitedForLongerThanALeaseAndTheLeaseIsKept() {
		AtomicBoolean closed = new AtomicBoolean(true);
		SimulatedMember member = this.cluster.member()
			.gate((leadership) -> this.cluster.hangWhile(closed::get))
			.start("a");
		this.cluster.await(SOON, () -> this.cluster.epoch("a") == 1);
		SimulatedMember other = this.cluster.start("a");
		this.cluster.await(REQUESTS, () -> member.status("a").state().equals("ACQUIRED"));
		// The gate has ten times the ttl.
		this.cluster.holds(LASTING.ttl().multipliedBy(9),
				() -> !member.leads("a") && !other.leads("a") && this.cluster.epoch("a") == 1);
		closed.set(false);
		this.cluster.await(REQUESTS, () -> member.leads("a"));
		this.cluster.pass(REQUESTS);
		assertThat(member.notified()).containsExactly("granted 1");
	}

	@Test
	void gateThatFailsGivesTheRoleToOthersAndBurnsNoEpochs() {
		TermGate closed = (leadership) -> {
			throw new IllegalStateException("the fence is away");
		};
		SimulatedMember failing = this.cluster.member().gate(closed).start("a");
		this.cluster.await(SOON, () -> this.cluster.epoch("a") == 1);
		SimulatedMember healthy = this.cluster.start("a");
		this.cluster.await(SOON, () -> healthy.leads("a"));
		assertThat(this.cluster.epoch("a")).isEqualTo(2);
		assertThat(failing.notified()).isEmpty();
	}

	@Test
	void stopWaitsForTheCallThatRunsAndReleasesThen() {
		SimulatedMember first = startLeader("a");
		SimulatedMember second = this.cluster.start("a");
		RoleCall call = first.election("a").enter();
		first.host().run(first.elections()::stop);
		this.cluster.await(REQUESTS, () -> first.status("a").state().equals("LEAVING"));
		int renewals = first.requests("renew");
		this.cluster.await(FOUR_RENEWALS, () -> first.requests("renew") > renewals + 3);
		assertThat(call.isValid()).isTrue();
		assertThat(second.leads("a")).isFalse();
		call.close();
		this.cluster.await(SOON, () -> second.leads("a"));
		assertThat(first.notified()).containsExactly("granted 1", "revoked 1 SHUTDOWN");
	}

	@Test
	void callThatDoesNotEndHoldsItsRoleOnlyUntilTheLeaseHasRunOut() {
		Duration drain = Duration.ofMillis(200);
		SimulatedMember first = this.cluster.member().timing(BRIEF).drainTimeout(drain).start("stuck", "free");
		this.cluster.await(SOON, () -> first.leads("stuck") && first.leads("free"));
		RoleCall call = first.election("stuck").enter();
		SimulatedMember second = this.cluster.start("stuck", "free");
		first.host().run(first.elections()::stop);
		this.cluster.await(SOON, () -> second.leads("free"));
		this.cluster.await(drain.plus(BRIEF.ttl()).plus(SOON), () -> {
			assertThat(second.leads("stuck") && call.isValid()).isFalse();
			return second.leads("stuck");
		});
		assertThat(call.isValid()).isFalse();
		call.close();
	}

	@Test
	void roleOfACallThatOutlivedTheStopIsLedAgainAfterTheNextStart() {
		SimulatedMember member = this.cluster.member().drainTimeout(Duration.ofMillis(50)).start("a");
		this.cluster.await(SOON, () -> member.leads("a"));
		RoleCall call = member.election("a").enter();
		member.elections().stop();
		// Nobody can release the role any more.
		call.close();
		this.cluster.pass(REQUESTS);
		assertThat(member.notified()).containsExactly("granted 1", "revoked 1 SHUTDOWN");
		member.begin();
		this.cluster.await(LASTING.ttl().plus(SOON), () -> member.leads("a"));
	}

	@Test
	void memberStandsAgainAfterAStopAndAStart() {
		SimulatedMember member = startLeader("a");
		member.elections().stop();
		assertThat(member.leads("a")).isFalse();
		member.begin();
		this.cluster.await(SOON, () -> member.leads("a"));
		this.cluster.pass(REQUESTS);
		assertThat(member.notified()).containsExactly("granted 1", "revoked 1 SHUTDOWN", "granted 2");
	}

	@Test
	void memberThatIsPausedLetsOthersLeadAllRolesUntilItIsResumed() {
		SimulatedMember one = startLeader("a", "b");
		one.elections().pause();
		one.elections().join("c");
		SimulatedMember other = this.cluster.start("a", "b", "c");
		this.cluster.await(SOON, () -> other.leads("a") && other.leads("b") && other.leads("c"));
		assertThat(one.status("a").paused()).isTrue();
		assertThat(one.notified()).contains("revoked 1 PAUSED");
		other.elections().stop();
		this.cluster.holds(LASTING.ttl(), () -> one.elections().all().stream().noneMatch(LeaderElection::isLeader));
		one.elections().resume();
		this.cluster.await(SOON, () -> one.leads("a") && one.leads("b") && one.leads("c"));
	}

	@Test
	void oneRoleCanBePausedAlone() {
		SimulatedMember member = startLeader("a", "b");
		member.election("a").pause();
		this.cluster.await(REQUESTS, () -> member.status("a").state().equals("FOLLOWER"));
		assertThat(member.leads("b")).isTrue();
		member.election("a").resume();
		this.cluster.await(SOON, () -> member.leads("a"));
	}

	@Test
	void allRolesAreRenewedInOneRequest() {
		String[] roles = IntStream.range(0, 200).mapToObj((i) -> "role-" + i).toArray(String[]::new);
		List<Integer> renewed = new ArrayList<>();
		SimulatedMember member = this.cluster.member().adapter((store) -> counting(store, renewed)).start(roles);
		this.cluster.await(SOON, () -> List.of(roles).stream().allMatch(member::leads));
		this.cluster.await(FOUR_RENEWALS, () -> renewed.size() >= 4);
		assertThat(Set.copyOf(renewed)).containsExactly(roles.length);
		assertThat(List.of(roles)).allMatch(member::leads);
	}

	/** Writes down how many leases each request is to renew. */
	private static LeaseStore counting(LeaseStore store, List<Integer> renewed) {
		return (LeaseStore) Proxy.newProxyInstance(LeaseStore.class.getClassLoader(),
				new Class<?>[] { LeaseStore.class }, (proxy, method, arguments) -> {
					if (method.getName().equals("renew")) {
						renewed.add(((Collection<?>) arguments[0]).size());
					}
					try {
						return method.invoke(store, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
	}

	@Test
	void roleThatWasNotJoinedIsRefusedByName() {
		SimulatedMember member = this.cluster.start("a");
		assertThatIllegalArgumentException().isThrownBy(() -> member.election("b"))
			.withMessageContaining("'b'")
			.withMessageContaining("[a]");
		assertThatIllegalArgumentException().isThrownBy(() -> member.elections().join("not a role"))
			.withMessageContaining("'not a role'");
	}

	private SimulatedMember startLeader(String... roles) {
		return awaitLeader(this.cluster.start(roles), roles);
	}

	private SimulatedMember startBriefLeader(String... roles) {
		return awaitLeader(this.cluster.member().timing(BRIEF).start(roles), roles);
	}

	private SimulatedMember awaitLeader(SimulatedMember member, String... roles) {
		this.cluster.await(SOON, () -> List.of(roles).stream().allMatch(member::leads));
		return member;
	}

}
