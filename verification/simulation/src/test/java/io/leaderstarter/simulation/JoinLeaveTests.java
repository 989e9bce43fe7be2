package io.leaderstarter.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.leaderstarter.LeaderContext;
import io.leaderstarter.LeaderElection;
import io.leaderstarter.Leadership;
import io.leaderstarter.election.RoleCall;
import io.leaderstarter.election.RoleElection;
import io.leaderstarter.election.state.LeaseTiming;
import io.leaderstarter.simulation.SimulatedMember.Fault;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static io.leaderstarter.simulation.SimulatedCluster.BRIEF;
import static io.leaderstarter.simulation.SimulatedCluster.LASTING;
import static io.leaderstarter.simulation.SimulatedCluster.REQUESTS;
import static io.leaderstarter.simulation.SimulatedCluster.SOON;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests of what code can ask of elections: to join and leave roles, to wait for one, to
 * work under one.
 */
class JoinLeaveTests {

	private static final Duration RARELY = Duration.ofHours(1);

	private static final Duration NEXT_RENEWAL = LASTING.renewInterval().plus(REQUESTS);

	@RegisterExtension
	private final SimulatedCluster cluster = new SimulatedCluster();

	@Test
	void roleThatIsLeftIsFreeForOthersAndForgotten() {
		SimulatedMember first = startLeader("a", "kept");
		SimulatedMember second = this.cluster.start("a");
		first.elections().leave("a");
		this.cluster.await(SOON, () -> second.leads("a"));
		this.cluster.await(SOON, () -> first.elections().all().size() == 1);
		assertThat(first.leads("kept")).isTrue();
		assertThatIllegalArgumentException().isThrownBy(() -> first.election("a"))
			.withMessageContaining("roles of this member: [kept]");
		assertThat(first.notified()).contains("revoked 1 RESIGNED");
	}

	@Test
	void roleThatIsLeftIsKeptUntilItsCallHasEnded() {
		SimulatedMember first = startLeader("a");
		SimulatedMember second = this.cluster.start("a");
		RoleCall call = first.election("a").enter();
		first.elections().leave("a");
		int renewals = first.requests("renew");
		this.cluster.await(NEXT_RENEWAL.multipliedBy(3), () -> first.requests("renew") > renewals + 2);
		assertThat(call.isValid()).isTrue();
		assertThat(second.leads("a")).isFalse();
		call.close();
		this.cluster.await(SOON, () -> second.leads("a"));
		this.cluster.await(SOON, () -> first.elections().all().isEmpty());
	}

	@Test
	void roleThatIsLeftIsFreedThoughItsReleaseWasLost() {
		SimulatedMember first = startLeader("a");
		first.fail("release", Fault.LOSE_REQUEST);
		first.elections().leave("a");
		this.cluster.await(REQUESTS, () -> first.requests("release") >= 1);
		assertThat(first.elections().all()).hasSize(1);
		first.heal();
		// One poll to see that it is held, and one to see that it is not.
		this.cluster.await(SOON.multipliedBy(2), () -> first.elections().all().isEmpty());
		assertThat(this.cluster.server().held(SimulatedCluster.NAMESPACE, "a")).isNull();
	}

	@Test
	void whoWaitsIsWokenByTheStop() {
		SimulatedMember leader = startLeader("migration");
		SimulatedMember member = this.cluster.start();
		AtomicBoolean woken = new AtomicBoolean();
		member.host().run(() -> {
			assertThat(runExclusively(member, Duration.ofDays(1), () -> {
			})).isFalse();
			woken.set(true);
		});
		this.cluster.holds(LASTING.ttl(), () -> leader.leads("migration") && !woken.get());
		member.elections().stop();
		this.cluster.await(REQUESTS, woken::get);
	}

	@Test
	void roleThatWasLeftCanBeJoinedAgain() {
		SimulatedMember member = startLeader("a");
		member.elections().leave("a");
		this.cluster.await(SOON, () -> member.elections().all().isEmpty());
		member.elections().join("a");
		this.cluster.await(SOON, () -> member.leads("a"));
		assertThat(member.status("a").epoch()).isEqualTo(2);
	}

	@Test
	void roleThatIsJoinedAgainBeforeItIsForgottenStays() {
		SimulatedMember member = startLeader("a");
		RoleCall call = member.election("a").enter();
		member.elections().leave("a");
		member.elections().join("a");
		call.close();
		this.cluster.await(SOON, () -> member.leads("a"));
		assertThat(member.elections().all()).extracting(LeaderElection::role).containsExactly("a");
	}

	/** Only who resigns lets others go first. */
	@Test
	void roleIsThereAgainAtOnceForWhoLeftItOrWorkedOnce() {
		SimulatedMember member = this.cluster.member()
			.timing(LeaseTiming.of(Duration.ofMinutes(5), null, null))
			.start("a");
		this.cluster.await(SOON, () -> member.leads("a"));
		member.elections().leave("a");
		member.elections().join("a");
		this.cluster.await(SOON, () -> member.leads("a"));
		assertThat(runExclusively(member, SOON, LeaderContext::check)).isTrue();
		assertThat(runExclusively(member, SOON, LeaderContext::check)).isTrue();
	}

	@Test
	void memberThatIsResumedLooksAtOnce() {
		SimulatedMember member = this.cluster.member().pollInterval(RARELY).start("a");
		this.cluster.await(REQUESTS, () -> member.leads("a"));
		member.election("a").pause();
		this.cluster.await(REQUESTS, () -> member.status("a").state().equals("FOLLOWER"));
		// It polls when its term has ended, and then not for an hour.
		this.cluster.await(REQUESTS, () -> member.status("a").age() != null && member.status("a").leader() == null);
		this.cluster.pass(RARELY.dividedBy(2));
		member.election("a").resume();
		this.cluster.await(REQUESTS, () -> member.leads("a"));
	}

	@Test
	void roleIsLookedAtWhenItsTermEndedAtOnce() {
		AtomicReference<RoleElection> election = new AtomicReference<>();
		SimulatedMember member = this.cluster.member()
			.pollInterval(RARELY)
			.before("acquire", () -> election.get().pause())
			.make("a");
		election.set(member.election("a"));
		member.begin();
		this.cluster.await(REQUESTS, () -> member.status("a").epoch() == 1 && member.status("a").leader() == null
				&& member.status("a").age() != null);
	}

	@Test
	void whoWaitsStandsBeforeTheApplicationIsReady() throws Exception {
		SimulatedMember member = this.cluster.member().make("a", "b");
		member.elections().start();
		assertThat(member.election("a").await(SOON)).map(Leadership::epoch).contains(1L);
		assertThat(member.leads("a")).isTrue();
		this.cluster.holds(LASTING.ttl(), () -> member.status("b").epoch() == 0);
	}

	@Test
	void whoWaitedInVainStandsNoMore() throws Exception {
		SimulatedMember leader = startLeader("a");
		SimulatedMember member = this.cluster.member().make("a");
		member.elections().start();
		assertThat(member.election("a").await(Duration.ofMillis(100))).isEmpty();
		leader.elections().stop();
		int polls = member.requests("observe");
		this.cluster.await(SOON.multipliedBy(4), () -> member.requests("observe") > polls + 3);
		this.cluster.holds(LASTING.ttl(), () -> !member.leads("a"));
		assertThat(member.status("a").leader()).isNull();
	}

	@Test
	void membersHaveTheirTurnOneAfterTheOther() {
		AtomicInteger inside = new AtomicInteger();
		List<Long> epochs = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			SimulatedMember member = this.cluster.member().make();
			member.host().run(() -> migrate(member, inside, epochs));
		}
		this.cluster.await(SOON.multipliedBy(3), () -> epochs.size() == 3);
		this.cluster.pass(LASTING.ttl());
		assertThat(epochs).containsExactly(1L, 2L, 3L);
	}

	private void migrate(SimulatedMember member, AtomicInteger inside, List<Long> epochs) {
		boolean done = runExclusively(member, SOON.multipliedBy(3), () -> {
			assertThat(inside.incrementAndGet()).isOne();
			this.cluster.pass(Duration.ofMillis(10));
			epochs.add(LeaderContext.epoch());
			assertThat(LeaderContext.isStillLeader()).isTrue();
			inside.decrementAndGet();
		});
		assertThat(done).isTrue();
	}

	@Test
	void roleOfWorkThatIsDoneOnceIsFreeAndForgottenWhateverComesOfIt() {
		SimulatedMember member = this.cluster.member().make();
		assertThatIllegalStateException().isThrownBy(() -> runExclusively(member, SOON, () -> {
			throw new IllegalStateException("failed");
		})).withMessage("failed");
		this.cluster.await(SOON, () -> member.elections().all().isEmpty());
		SimulatedMember other = this.cluster.start("migration");
		this.cluster.await(SOON, () -> other.leads("migration"));
		assertThat(runExclusively(member, Duration.ofMillis(50), () -> {
			throw new AssertionError("must not run");
		})).isFalse();
		this.cluster.await(SOON, () -> member.elections().all().isEmpty());
	}

	@Test
	void roleThatWasJoinedIsGivenUpAfterWorkThatIsDoneOnceButNotLeft() {
		SimulatedMember member = this.cluster.member().timing(BRIEF).start("migration");
		assertThat(runExclusively(member, SOON, () -> {
		})).isTrue();
		this.cluster.await(REQUESTS, () -> member.notified().equals(List.of("granted 1", "revoked 1 RESIGNED")));
		// Who gives a role up lets others go first for longer than its lease.
		this.cluster.holds(BRIEF.ttl(), () -> !member.leads("migration"));
		this.cluster.await(BRIEF.ttl().dividedBy(4).plus(SOON), () -> member.leads("migration"));
	}

	@Test
	void nobodyWaitsForAMemberThatHasStopped() throws Exception {
		SimulatedMember member = this.cluster.start("a");
		member.elections().stop();
		Duration before = this.cluster.now();
		assertThat(runExclusively(member, Duration.ofDays(1), () -> {
		})).isFalse();
		assertThat(member.election("a").await(Duration.ofDays(1))).isEmpty();
		assertThat(this.cluster.now()).isEqualTo(before);
	}

	@Test
	void workRunsUnderTheTermIfThisMemberLeads() {
		SimulatedMember member = startLeader("a");
		RoleElection election = member.election("a");
		AtomicBoolean begun = new AtomicBoolean();
		AtomicBoolean mayEnd = new AtomicBoolean();
		AtomicInteger worked = new AtomicInteger();
		member.host().run(() -> election.runIfLeader(() -> {
			begun.set(true);
			this.cluster.hangWhile(() -> !mayEnd.get());
			LeaderContext.check();
			worked.incrementAndGet();
		}));
		this.cluster.await(REQUESTS, begun::get);
		election.pause();
		assertThat(election.runIfLeader(worked::incrementAndGet)).isFalse();
		mayEnd.set(true);
		this.cluster.await(REQUESTS, () -> worked.get() == 1);
		this.cluster.await(REQUESTS, () -> member.notified().equals(List.of("granted 1", "revoked 1 PAUSED")));
		assertThat(worked).hasValue(1);
		assertThat(LeaderContext.current()).isEmpty();
	}

	private SimulatedMember startLeader(String... roles) {
		SimulatedMember member = this.cluster.start(roles);
		this.cluster.await(SOON, () -> List.of(roles).stream().allMatch(member::leads));
		return member;
	}

	private static boolean runExclusively(SimulatedMember member, Duration timeout, Runnable work) {
		try {
			return member.elections().runExclusively("migration", timeout, work);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
