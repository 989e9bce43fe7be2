package io.leaderstarter.election;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.leaderstarter.LeaderContext;
import io.leaderstarter.LeaderElection;
import io.leaderstarter.Leadership;
import io.leaderstarter.TestContexts;
import io.leaderstarter.election.Cluster.Node;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.testsupport.MemoryDatabases;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests of what code can ask of elections: to join and leave roles, to wait for one, to
 * work under one.
 */
class JoinLeaveTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private final Cluster cluster = new Cluster();

	@AfterEach
	void stop() {
		this.cluster.close();
	}

	@Test
	void memberCompetesForARoleFromTheMomentItIsPolled() {
		Node node = this.cluster.start();
		List<Boolean> joined = new CopyOnWriteArrayList<>();
		node.elections.addJoinListener((election) -> joined.add(((RoleElection) election).participation().isJoined()));
		node.elections.join("a");
		assertThat(joined).containsExactly(true);
	}

	@Test
	void roleThatIsLeftIsFreeForOthersAndForgotten() {
		Node first = this.cluster.start("a", "kept");
		soon().until(() -> first.leads("a") && first.leads("kept"));
		Node second = this.cluster.start("a");
		first.elections.leave("a");
		soon().until(() -> second.leads("a"));
		soon().until(() -> first.elections.all().size() == 1);
		assertThat(first.leads("kept")).isTrue();
		assertThatIllegalArgumentException().isThrownBy(() -> first.elections.election("a"))
			.withMessageContaining("roles of this member: [kept]");
		soon().until(() -> first.notified.contains("revoked 1 RESIGNED"));
	}

	@Test
	void roleThatIsLeftIsKeptUntilItsCallHasEnded() {
		Node first = this.cluster.start("a");
		soon().until(() -> first.leads("a"));
		Node second = this.cluster.start("a");
		RoleCall call = first.elections.election("a").enter();
		first.elections.leave("a");
		int renewals = first.store.requests("renew");
		soon().until(() -> first.store.requests("renew") > renewals + 2);
		assertThat(call.isValid()).isTrue();
		assertThat(second.leads("a")).isFalse();
		call.close();
		soon().until(() -> second.leads("a"));
		soon().until(() -> first.elections.all().isEmpty());
	}

	@Test
	void roleThatIsLeftIsFreedThoughItsReleaseWasLost() {
		Node first = this.cluster.start("a");
		soon().until(() -> first.leads("a"));
		first.store.fail("release", FaultyLeaseStore.Fault.LOSE_REQUEST);
		first.elections.leave("a");
		soon().until(() -> first.store.requests("release") >= 1);
		assertThat(first.elections.all()).hasSize(1);
		first.store.heal();
		soon().until(() -> first.elections.all().isEmpty());
		assertThat(this.cluster.table()
			.sql("select holder from leader_lease where role = 'a'")
			.query(String.class)
			.optional()).isEmpty();
	}

	@Test
	void whoWaitsIsWokenByTheStop() throws Exception {
		Node node = this.cluster.start();
		Thread waiting = new Thread(() -> runExclusively(node, LONG.multipliedBy(100), () -> {
		}));
		Node leader = this.cluster.start("migration");
		soon().until(() -> leader.leads("migration"));
		waiting.start();
		soon().until(() -> waiting.getState() == Thread.State.TIMED_WAITING);
		node.elections.stop();
		waiting.join(LONG.toMillis());
		assertThat(waiting.isAlive()).isFalse();
	}

	@Test
	void thoseOfOneProcessHaveTheirTurnOneAfterTheOther() throws Exception {
		Node node = this.cluster.make();
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger done = new AtomicInteger();
		List<Thread> threads = Stream.generate(() -> new Thread(() -> runExclusively(node, LONG, () -> {
			assertThat(inside.incrementAndGet()).isOne();
			done.incrementAndGet();
			inside.decrementAndGet();
		}))).limit(4).toList();
		threads.forEach(Thread::start);
		for (Thread thread : threads) {
			thread.join(LONG.toMillis());
		}
		assertThat(done).hasValue(4);
		soon().until(() -> node.elections.all().isEmpty());
	}

	@Test
	void roleThatWasLeftCanBeJoinedAgain() {
		Node node = this.cluster.start("a");
		soon().until(() -> node.leads("a"));
		node.elections.leave("a");
		soon().until(() -> node.elections.all().isEmpty());
		node.elections.join("a");
		soon().until(() -> node.leads("a"));
		assertThat(node.elections.status("a").epoch()).isEqualTo(2);
	}

	@Test
	void roleThatIsJoinedAgainBeforeItIsForgottenStays() {
		Node node = this.cluster.start("a");
		soon().until(() -> node.leads("a"));
		RoleCall call = node.elections.election("a").enter();
		node.elections.leave("a");
		node.elections.join("a");
		call.close();
		soon().until(() -> node.leads("a"));
		assertThat(node.elections.all()).extracting(LeaderElection::role).containsExactly("a");
	}

	/** Only who resigns lets others go first. */
	@Test
	void roleIsThereAgainAtOnceForWhoLeftItOrWorkedOnce() {
		try (Cluster slow = new Cluster(MemoryDatabases.newH2(), LONG.multipliedBy(10))) {
			Node node = slow.start("a");
			soon().until(() -> node.leads("a"));
			node.elections.leave("a");
			node.elections.join("a");
			soon().until(() -> node.leads("a"));
			assertThat(runExclusively(node, LONG, LeaderContext::check)).isTrue();
			assertThat(runExclusively(node, LONG, LeaderContext::check)).isTrue();
		}
	}

	@Test
	void memberThatIsResumedLooksAtOnce() {
		Node node = this.cluster.start(MemoryDatabases.newH2(), JoinLeaveTests::rarelyLooking, "a");
		soon().until(() -> node.leads("a"));
		node.elections.election("a").pause();
		soon().until(() -> node.elections.status("a").state().equals("FOLLOWER"));
		// It polls when its term has ended, and then not for an hour.
		soon().until(() -> node.elections.status("a").age() != null && node.elections.status("a").leader() == null);
		node.elections.election("a").resume();
		soon().until(() -> node.leads("a"));
	}

	@Test
	void roleIsLookedAtWhenItsTermEndedAtOnce() {
		CompletableFuture<LeaderElection> election = new CompletableFuture<>();
		Node node = this.cluster.start(MemoryDatabases.newH2(),
				(store) -> before(rarelyLooking(store), "acquire", () -> election.join().pause()), "a");
		election.complete(node.elections.election("a"));
		soon().until(() -> node.elections.status("a").epoch() == 1 && node.elections.status("a").leader() == null);
	}

	private static LeaseStore before(LeaseStore store, String request, Runnable action) {
		return (LeaseStore) Proxy.newProxyInstance(LeaseStore.class.getClassLoader(),
				new Class<?>[] { LeaseStore.class }, (proxy, method, arguments) -> {
					if (method.getName().equals(request)) {
						action.run();
					}
					return method.invoke(store, arguments);
				});
	}

	private static LeaseStore rarelyLooking(LeaseStore store) {
		return (LeaseStore) Proxy.newProxyInstance(LeaseStore.class.getClassLoader(),
				new Class<?>[] { LeaseStore.class }, (proxy, method, arguments) -> {
					try {
						return method.getName().equals("pollInterval") ? Duration.ofHours(1)
								: method.invoke(store, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
	}

	@Test
	void whoWaitsStandsBeforeTheApplicationIsReady() throws Exception {
		Node node = this.cluster.make("a", "b");
		node.elections.start();
		assertThat(node.elections.election("a").await(LONG)).map(Leadership::epoch).contains(1L);
		assertThat(node.leads("a")).isTrue();
		assertThat(node.elections.status("b").epoch()).isZero();
	}

	@Test
	void whoWaitedInVainStandsNoMore() throws Exception {
		Node leader = this.cluster.start("a");
		soon().until(() -> leader.leads("a"));
		Node node = this.cluster.make("a");
		node.elections.start();
		assertThat(node.elections.election("a").await(Duration.ofMillis(100))).isEmpty();
		leader.elections.stop();
		int polls = node.store.requests("observe");
		soon().until(() -> node.store.requests("observe") > polls + 3);
		assertThat(node.leads("a")).isFalse();
		assertThat(node.elections.status("a").leader()).isNull();
	}

	@Test
	void membersHaveTheirTurnOneAfterTheOther() throws Exception {
		AtomicInteger inside = new AtomicInteger();
		List<Long> epochs = new CopyOnWriteArrayList<>();
		List<Thread> threads = List.of(new Thread(() -> migrate(inside, epochs)),
				new Thread(() -> migrate(inside, epochs)), new Thread(() -> migrate(inside, epochs)));
		threads.forEach(Thread::start);
		for (Thread thread : threads) {
			thread.join(LONG.toMillis());
		}
		assertThat(epochs).containsExactly(1L, 2L, 3L);
	}

	private void migrate(AtomicInteger inside, List<Long> epochs) {
		Node node = this.cluster.make();
		boolean done = runExclusively(node, LONG, () -> {
			assertThat(inside.incrementAndGet()).isOne();
			epochs.add(LeaderContext.epoch());
			assertThat(LeaderContext.isStillLeader()).isTrue();
			inside.decrementAndGet();
		});
		assertThat(done).isTrue();
	}

	@Test
	void roleOfWorkThatIsDoneOnceIsFreeAndForgottenWhateverComesOfIt() {
		Node node = this.cluster.make();
		assertThatIllegalStateException().isThrownBy(() -> runExclusively(node, LONG, () -> {
			throw new IllegalStateException("failed");
		})).withMessage("failed");
		soon().until(() -> node.elections.all().isEmpty());
		Node other = this.cluster.start("migration");
		soon().until(() -> other.leads("migration"));
		assertThat(runExclusively(node, Duration.ofMillis(50), () -> {
			throw new AssertionError("must not run");
		})).isFalse();
		soon().until(() -> node.elections.all().isEmpty());
	}

	@Test
	void roleThatWasJoinedIsGivenUpAfterWorkThatIsDoneOnceButNotLeft() {
		// Who gives a role up lets others go first for longer than its lease.
		Node node = this.cluster.start(Cluster.BRIEF, "migration");
		assertThat(runExclusively(node, LONG, () -> {
		})).isTrue();
		soon().until(() -> node.history()
			.matches(
					"(granted (\\d+), revoked \\2 LEASE_EXPIRED, )*granted (\\d+), revoked \\3 RESIGNED(, granted .*)?"));
		soon().until(() -> node.leads("migration"));
	}

	@Test
	void nobodyWaitsForAMemberThatHasStopped() throws Exception {
		Node node = this.cluster.start("a");
		node.elections.stop();
		assertThat(runExclusively(node, Duration.ofDays(1), () -> {
		})).isFalse();
		assertThat(node.elections.election("a").await(Duration.ofDays(1))).isEmpty();
	}

	@Test
	void workRunsUnderTheTermIfThisMemberLeads() throws Exception {
		Node node = this.cluster.start("a");
		RoleElection election = node.elections.election("a");
		soon().until(election::isLeader);
		CountDownLatch begun = new CountDownLatch(1);
		CountDownLatch mayEnd = new CountDownLatch(1);
		AtomicInteger worked = new AtomicInteger();
		Thread thread = new Thread(() -> election.runIfLeader(() -> {
			begun.countDown();
			await(mayEnd);
			LeaderContext.check();
			worked.incrementAndGet();
		}));
		thread.start();
		await(begun);
		election.pause();
		assertThat(election.runIfLeader(worked::incrementAndGet)).isFalse();
		mayEnd.countDown();
		thread.join(LONG.toMillis());
		assertThat(worked).hasValue(1);
		soon().untilAsserted(() -> assertThat(node.notified).containsExactly("granted 1", "revoked 1 PAUSED"));
		assertThat(LeaderContext.current()).isEmpty();
	}

	private static boolean runExclusively(Node node, Duration timeout, Runnable work) {
		try {
			return node.elections.runExclusively("migration", timeout, work);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static void await(CountDownLatch latch) {
		try {
			assertThat(latch.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static ConditionFactory soon() {
		return TestContexts.await();
	}

}
