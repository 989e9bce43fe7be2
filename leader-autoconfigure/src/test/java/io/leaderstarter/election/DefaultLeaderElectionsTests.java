package io.leaderstarter.election;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.IntStream;

import io.leaderstarter.LeaderElection;
import io.leaderstarter.Leadership;
import io.leaderstarter.LeadershipListener;
import io.leaderstarter.election.Cluster.Node;
import io.leaderstarter.election.FaultyLeaseStore.Fault;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.TermGate;
import io.leaderstarter.election.state.LeaseTiming;
import io.leaderstarter.testsupport.MemoryDatabases;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link DefaultLeaderElections} on a real database, with requests and answers
 * lost on the way.
 */
class DefaultLeaderElectionsTests {

	/**
	 * Each term is notified once, and so is its end. On a slow machine there are several.
	 */
	private static final Duration LONG = Duration.ofSeconds(30);

	private static final String ENDED_BY_DEADLINES = "granted (\\d+), revoked \\1 LEASE_EXPIRED(, granted (\\d+), revoked \\3 LEASE_EXPIRED)*";

	private final Cluster cluster = new Cluster();

	@AfterEach
	void close() {
		this.cluster.close();
	}

	@Test
	void oneLeadsAndTheOtherFollowsAtOnceWhenItStops() {
		Node first = this.cluster.start("a");
		soon().until(() -> first.leads("a"));
		Node second = this.cluster.start("a");
		soon().until(() -> first.member.id().equals(second.elections.status("a").leader()));
		assertThat(second.leads("a")).isFalse();
		first.elections.stop();
		soon().untilAsserted(() -> assertThat(first.notified).containsExactly("granted 1", "revoked 1 SHUTDOWN"));
		soon().until(() -> second.leads("a"));
		assertThat(second.elections.election("a").leadership()).get().extracting(Leadership::epoch).isEqualTo(2L);
	}

	@Test
	void memberThatIsCutOffEndsItsTermBeforeTheNextBegins() {
		Node first = this.cluster.start(Cluster.BRIEF, "a");
		soon().until(() -> first.leads("a"));
		Node second = this.cluster.start("a");
		first.store.failAll(Fault.LOSE_REQUEST);
		soon().pollInterval(Duration.ofMillis(1)).until(() -> {
			boolean secondLeads = second.leads("a");
			// Read in this order: if both were true, both led at the second reading.
			assertThat(secondLeads && first.leads("a")).isFalse();
			return secondLeads;
		});
		soon().until(() -> first.history().matches(ENDED_BY_DEADLINES));
	}

	@Test
	void whoLostARaceTakesTheRoleWhenTheLeaseOfTheWinnerRunsOut() {
		LeaseTiming timing = LeaseTiming.of(Duration.ofSeconds(2), null, null);
		AtomicBoolean lost = new AtomicBoolean();
		// Members that are notified of free roles poll rarely.
		Node node = this.cluster.start(timing, TermGate.OPEN, (store) -> intercepted(store, (method) -> {
			if (method.equals("acquire") && lost.compareAndSet(false, true)) {
				takeAndCrash();
			}
			return method.equals("pollInterval") ? Duration.ofSeconds(50) : null;
		}), "a");
		soon().until(() -> node.leads("a"));
		assertThat(lost).isTrue();
	}

	private void takeAndCrash() {
		String now = "cast(extract(epoch from current_timestamp(6)) * 1000000 as bigint)";
		this.cluster.table()
			.sql("update leader_lease set epoch = epoch + 1, holder = 'quicker', term_id = 'quicker', acquired_at_us = "
					+ now + ", expires_at_us = 2000000 + " + now + ", ttl_us = 2000000 where role = 'a'")
			.update();
	}

	/** A store that does something before each call, and may answer it instead. */
	private static LeaseStore intercepted(LeaseStore store, Function<String, @Nullable Object> interceptor) {
		return (LeaseStore) Proxy.newProxyInstance(LeaseStore.class.getClassLoader(),
				new Class<?>[] { LeaseStore.class }, (proxy, method, args) -> {
					Object answer = interceptor.apply(method.getName());
					try {
						return (answer != null) ? answer : method.invoke(store, args);
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
	}

	@Test
	void deadlineIsKeptWhileTheRenewingThreadHangs() {
		Node node = this.cluster.start(Cluster.BRIEF, "a");
		soon().until(() -> node.leads("a"));
		node.store.fail("renew", Fault.HANG);
		soon().until(() -> node.history().matches(ENDED_BY_DEADLINES) && !node.leads("a"));
	}

	@Test
	void whoLedBeforeAnOwnTermIsNotShownAfterIt() {
		Node first = this.cluster.start("a");
		soon().until(() -> first.leads("a"));
		Node second = this.cluster.start(Cluster.BRIEF, "a");
		soon().until(() -> first.member.id().equals(second.elections.status("a").leader()));
		first.elections.stop();
		soon().until(() -> second.leads("a"));
		second.store.failAll(Fault.LOSE_REQUEST);
		soon().until(() -> second.history().endsWith(" LEASE_EXPIRED"));
		assertThat(second.elections.status("a")).satisfies((status) -> {
			assertThat(status.leader()).isNull();
			assertThat(second.notified).endsWith("revoked " + status.epoch() + " LEASE_EXPIRED");
			assertThat(status.age()).isNull();
		});
	}

	@Test
	void renewalThatIsAnsweredAfterTheDeadlineDoesNotReviveTheTerm() {
		Node node = this.cluster.start(Cluster.BRIEF, "a");
		soon().until(() -> node.leads("a"));
		node.store.fail("renew", Fault.ANSWER_LATE);
		soon().until(() -> node.history().matches(ENDED_BY_DEADLINES) && !node.leads("a"));
		node.store.heal();
		soon().until(() -> node.history().matches(ENDED_BY_DEADLINES + ", granted \\d+(, .*)?"));
		assertThat(node.notified).doesNotHaveDuplicates();
	}

	@Test
	void grantWhoseAnswerWasLostIsKnownByItsTermId() {
		Node node = this.cluster.start("held");
		soon().until(() -> node.leads("held"));
		node.store.fail("acquire", Fault.LOSE_ANSWER);
		node.elections.join("answered-by-nobody");
		soon().until(() -> node.leads("answered-by-nobody"));
		assertThat(epoch("answered-by-nobody")).isEqualTo(1);
		assertThat(node.leads("held")).isTrue();
	}

	@Test
	void leaseOfOursThatIsNotMeantIsFreedAndNotKeptAlive() {
		Node node = this.cluster.start("held");
		soon().until(() -> node.leads("held"));
		this.cluster.table()
			.sql("insert into leader_lease select namespace, 'orphan', epoch, holder, 'unknown', acquired_at_us, expires_at_us + 60000000, ttl_us from leader_lease where role = 'held'")
			.update();
		node.elections.join("orphan");
		soon().until(() -> node.leads("orphan"));
		assertThat(epoch("orphan")).isEqualTo(2);
		assertThat(node.leads("held")).isTrue();
	}

	@Test
	void leaseThatSeemsToLastForYearsIsOverAfterItsTtl() {
		Node node = this.cluster.start("other");
		soon().until(() -> node.leads("other"));
		this.cluster.table()
			.sql("insert into leader_lease select namespace, 'garbage', 5, 'somebody', 'unknown', acquired_at_us, 9223372036854775807, 1000000 from leader_lease where role = 'other'")
			.update();
		node.elections.join("garbage");
		soon().until(() -> node.leads("garbage"));
		assertThat(epoch("garbage")).isEqualTo(6);
	}

	@Test
	void roleThatCouldNotBeReleasedIsReleasedWhenItIsSeen() {
		Node first = this.cluster.start("a");
		soon().until(() -> first.leads("a"));
		Node second = this.cluster.start("a");
		first.store.fail("release", Fault.LOSE_REQUEST);
		first.elections.election("a").resign();
		soon().until(() -> first.store.requests("release") > 0);
		first.store.heal();
		soon().until(() -> second.leads("a"));
		soon().untilAsserted(() -> assertThat(first.notified).containsExactly("granted 1", "revoked 1 RESIGNED"));
	}

	@Test
	void leaseThatSomebodyElseHoldsIsLostAtTheNextRenewal() {
		Node node = this.cluster.start("a");
		soon().until(() -> node.leads("a"));
		this.cluster.table()
			.sql("update leader_lease set epoch = epoch + 1, holder = 'thief', term_id = 'stolen', expires_at_us = expires_at_us + 60000000")
			.update();
		soon().until(() -> node.notified.equals(List.of("granted 1", "revoked 1 SUPERSEDED")));
		assertThat(node.elections.status("a").leader()).isIn("thief", null);
	}

	@Test
	void roleIsLostThoughAnOrphanKeepsTheNumberOfRowsRight() {
		Node node = this.cluster.start("lost", "kept");
		soon().until(() -> node.leads("lost") && node.leads("kept"));
		// One row of two goes to somebody else, and one that is not meant comes to us.
		this.cluster.table()
			.sql("insert into leader_lease select namespace, 'orphan', epoch, holder, 'unknown', acquired_at_us, expires_at_us + 60000000, ttl_us from leader_lease where role = 'kept'")
			.update();
		this.cluster.table()
			.sql("update leader_lease set epoch = epoch + 1, holder = 'thief', term_id = 'stolen', expires_at_us = expires_at_us + 60000000 where role = 'lost'")
			.update();
		soon().until(() -> !node.leads("lost"));
		assertThat(node.leads("kept")).isTrue();
		soon().untilAsserted(() -> assertThat(node.notified).contains("revoked 1 SUPERSEDED"));
	}

	@Tag("verify")
	@Test
	void gateIsWaitedForLongerThanALeaseAndTheLeaseIsKept() throws Exception {
		CountDownLatch gate = new CountDownLatch(1);
		LeaseTiming timing = LeaseTiming.of(Duration.ofSeconds(12), Duration.ofMillis(300), null);
		Node node = this.cluster.start(timing, (leadership) -> await(gate), Duration.ofSeconds(5), "a");
		Node other = this.cluster.start("a");
		soon().until(() -> epoch("a") == 1);
		if (!node.elections.status("a").state().equals("ACQUIRED")) {
			// The other one was quicker; it has no gate. Let it go, and the gate is next.
			other.elections.stop();
			soon().until(() -> node.elections.status("a").state().equals("ACQUIRED"));
		}
		long epoch = epoch("a");
		long end = System.nanoTime() + timing.ttl().plusSeconds(1).toNanos();
		while (System.nanoTime() - end < 0) {
			assertThat(node.leads("a")).isFalse();
			assertThat(epoch("a")).isEqualTo(epoch);
			Thread.sleep(50);
		}
		gate.countDown();
		soon().until(() -> node.leads("a"));
		soon().untilAsserted(() -> assertThat(node.notified).contains("granted " + epoch));
	}

	@Test
	void gateThatFailsGivesTheRoleToOthersAndBurnsNoEpochs() {
		TermGate closed = (leadership) -> {
			throw new IllegalStateException("the fence is away");
		};
		Node failing = this.cluster.start(closed, Duration.ofSeconds(5), "a");
		soon().until(() -> epoch("a") == 1);
		Node healthy = this.cluster.start("a");
		soon().until(() -> healthy.leads("a"));
		assertThat(epoch("a")).isLessThanOrEqualTo(3);
		assertThat(failing.notified).isEmpty();
	}

	@Test
	void listenerThatHangsOrThrowsHarmsNobody() {
		CountDownLatch never = new CountDownLatch(1);
		Node node = this.cluster.start();
		node.elections.addListener(new LeadershipListener() {

			@Override
			public void onGranted(Leadership leadership) {
				await(never);
			}

		});
		node.elections.addListener(new LeadershipListener() {

			@Override
			public void onGranted(Leadership leadership) {
				throw new IllegalStateException("a listener that fails");
			}

		});
		node.elections.join("a");
		soon().until(() -> node.notified.contains("granted 1"));
		int renewals = node.store.requests("renew");
		soon().until(() -> node.store.requests("renew") > renewals + 3);
		assertThat(node.leads("a")).isTrue();
		never.countDown();
	}

	@Test
	void stopWaitsForTheCallThatRunsAndReleasesThen() throws Exception {
		Node first = this.cluster.start("a");
		soon().until(() -> first.leads("a"));
		Node second = this.cluster.start("a");
		RoleCall call = first.elections.election("a").enter();
		Thread stop = new Thread(first.elections::stop);
		stop.start();
		soon().until(() -> first.elections.status("a").state().equals("LEAVING"));
		int renewals = first.store.requests("renew");
		soon().until(() -> first.store.requests("renew") > renewals + 3);
		assertThat(call.isValid()).isTrue();
		assertThat(second.leads("a")).isFalse();
		call.close();
		stop.join(30_000);
		soon().until(() -> second.leads("a"));
		soon().untilAsserted(() -> assertThat(first.notified).containsExactly("granted 1", "revoked 1 SHUTDOWN"));
	}

	@Test
	void callThatDoesNotEndHoldsItsRoleOnlyUntilTheLeaseHasRunOut() throws Exception {
		Node first = this.cluster.start(Cluster.BRIEF, TermGate.OPEN, Duration.ofMillis(200), "stuck", "free");
		soon().until(() -> first.leads("free"));
		RoleCall call = soon().until(first.elections.election("stuck")::enter, Objects::nonNull);
		Node second = this.cluster.start("stuck", "free");
		Thread stop = new Thread(first.elections::stop);
		stop.start();
		soon().until(() -> second.leads("free"));
		soon().until(() -> second.leads("stuck"));
		assertThat(call.isValid()).isFalse();
		call.close();
		stop.join(30_000);
	}

	@Test
	void roleOfACallThatOutlivedTheStopIsLedAgainAfterTheNextStart() {
		Node node = this.cluster.start(TermGate.OPEN, Duration.ofMillis(50), "a");
		soon().until(() -> node.leads("a"));
		RoleCall call = node.elections.election("a").enter();
		node.elections.stop();
		// Nobody can release the role any more.
		call.close();
		soon().untilAsserted(() -> assertThat(node.notified).containsExactly("granted 1", "revoked 1 SHUTDOWN"));
		node.elections.start();
		node.elections.compete();
		soon().until(() -> node.leads("a"));
	}

	@Test
	void callThatWaitsForAnotherRoleDuringTheStopIsNotKeptFromItsEnd() throws Exception {
		Node node = this.cluster.start(TermGate.OPEN, LONG, "a");
		soon().until(() -> node.leads("a"));
		RoleCall call = node.elections.election("a").enter();
		CountDownLatch stopped = new CountDownLatch(1);
		Thread stop = new Thread(() -> {
			node.elections.stop();
			stopped.countDown();
		});
		stop.start();
		soon().until(() -> !node.leads("a"));
		CountDownLatch answered = new CountDownLatch(1);
		Thread waiting = new Thread(() -> {
			try {
				node.elections.runExclusively("b", LONG, () -> {
				});
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
			answered.countDown();
		});
		waiting.start();
		await(answered);
		assertThat(stopped.getCount()).isOne();
		call.close();
		await(stopped);
	}

	@Test
	void memberStandsAgainAfterAStopAndAStart() {
		Node node = this.cluster.start("a");
		soon().until(() -> node.leads("a"));
		node.elections.stop();
		assertThat(node.leads("a")).isFalse();
		node.elections.start();
		node.elections.compete();
		soon().until(() -> node.leads("a"));
		soon().untilAsserted(
				() -> assertThat(node.notified).containsExactly("granted 1", "revoked 1 SHUTDOWN", "granted 2"));
	}

	@Test
	void memberThatIsPausedLetsOthersLeadAllRolesUntilItIsResumed() {
		Node one = this.cluster.start("a", "b");
		soon().until(() -> one.leads("a") && one.leads("b"));
		one.elections.pause();
		one.elections.join("c");
		Node other = this.cluster.start("a", "b", "c");
		soon().until(() -> other.leads("a") && other.leads("b") && other.leads("c"));
		assertThat(one.elections.status("a").paused()).isTrue();
		soon().until(() -> one.notified.contains("revoked 1 PAUSED"));
		other.elections.stop();
		assertThat(one.elections.all()).noneMatch(LeaderElection::isLeader);
		one.elections.resume();
		soon().until(() -> one.leads("a") && one.leads("b") && one.leads("c"));
	}

	@Test
	void oneRoleCanBePausedAlone() {
		Node node = this.cluster.start("a", "b");
		soon().until(() -> node.leads("a") && node.leads("b"));
		node.elections.election("a").pause();
		soon().until(() -> node.elections.status("a").state().equals("FOLLOWER"));
		assertThat(node.leads("b")).isTrue();
		node.elections.election("a").resume();
		soon().until(() -> node.leads("a"));
	}

	@Test
	void allRolesAreRenewedInOneRequest() {
		String[] roles = IntStream.range(0, 200).mapToObj((i) -> "role-" + i).toArray(String[]::new);
		List<Integer> renewed = new CopyOnWriteArrayList<>();
		Node node = this.cluster.start(MemoryDatabases.newH2(), (store) -> counting(store, renewed), roles);
		soon().until(() -> List.of(roles).stream().allMatch(node::leads));
		int requests = renewed.size();
		soon().until(() -> renewed.size() >= requests + 4);
		// The first may have been under way before all were led.
		assertThat(renewed.subList(requests + 1, requests + 4)).containsOnly(roles.length);
		assertThat(List.of(roles)).allMatch(node::leads);
	}

	/** Writes down how many leases each request is to renew. */
	private static LeaseStore counting(LeaseStore store, List<Integer> renewed) {
		return (LeaseStore) Proxy.newProxyInstance(LeaseStore.class.getClassLoader(),
				new Class<?>[] { LeaseStore.class }, (proxy, method, arguments) -> {
					if (method.getName().equals("renew")) {
						renewed.add(((Collection<?>) arguments[0]).size());
					}
					return method.invoke(store, arguments);
				});
	}

	@Test
	void roleThatWasNotJoinedIsRefusedByName() {
		Node node = this.cluster.start("a");
		assertThatIllegalArgumentException().isThrownBy(() -> node.elections.election("b"))
			.withMessageContaining("'b'")
			.withMessageContaining("[a]");
		assertThatIllegalArgumentException().isThrownBy(() -> node.elections.join("not a role"))
			.withMessageContaining("'not a role'");
	}

	private long epoch(String role) {
		return this.cluster.table()
			.sql("select coalesce(max(epoch), 0) from leader_lease where role = ?")
			.param(role)
			.query(Long.class)
			.single();
	}

	private static ConditionFactory soon() {
		return Awaitility.await()
			.pollInterval(Duration.ofMillis(5))
			.ignoreException(org.springframework.jdbc.BadSqlGrammarException.class)
			.atMost(Duration.ofSeconds(30));
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await(60, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
