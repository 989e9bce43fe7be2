package io.leaderstarter.simulation;

import java.time.Duration;
import java.util.List;

import io.leaderstarter.election.state.LeaseTiming;
import io.leaderstarter.simulation.SimulatedMember.Fault;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static io.leaderstarter.simulation.SimulatedCluster.BRIEF;
import static io.leaderstarter.simulation.SimulatedCluster.LASTING;
import static io.leaderstarter.simulation.SimulatedCluster.REQUESTS;
import static io.leaderstarter.simulation.SimulatedCluster.SOON;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for requests and answers that are lost or late, so that a member holds leases
 * without knowing, or does not hold what it relies on.
 */
class LostAnswerTests {

	/** The first delay after a request that failed. */
	private static final Duration RETRY = Duration.ofMillis(250);

	private static final LeaseTiming TIMING = LeaseTiming.of(Duration.ofSeconds(3), null, null);

	@RegisterExtension
	private final SimulatedCluster cluster = new SimulatedCluster();

	@Test
	void grantWhoseAnswerWasLostIsKnownByItsTermId() {
		SimulatedMember member = startLeader(LASTING, "held");
		member.fail("acquire", Fault.LOSE_ANSWER);
		member.elections().join("answered-by-nobody");
		this.cluster.await(RETRY.plus(SOON), () -> member.leads("answered-by-nobody"));
		assertThat(this.cluster.epoch("answered-by-nobody")).isEqualTo(1);
		assertThat(member.leads("held")).isTrue();
	}

	@Test
	void renewalThatIsAnsweredAfterTheDeadlineDoesNotReviveTheTerm() {
		SimulatedMember member = startLeader(BRIEF, "a");
		member.fail("renew", Fault.ANSWER_LATE);
		this.cluster.await(BRIEF.ttl(), () -> member.notified().size() > 1);
		assertThat(member.leads("a")).isFalse();
		member.heal();
		this.cluster.await(SOON.plus(REQUESTS), () -> member.leads("a"));
		this.cluster.pass(REQUESTS);
		assertThat(member.notified()).containsExactly("granted 1", "revoked 1 LEASE_EXPIRED", "granted 2");
	}

	@Test
	void leaseOfOursThatIsNotMeantIsFreedAndNotKeptAlive() {
		SimulatedMember member = startLeader(LASTING, "held");
		this.cluster.write("orphan", 1, member.id());
		member.elections().join("orphan");
		this.cluster.await(SOON.plus(REQUESTS), () -> member.leads("orphan"));
		assertThat(this.cluster.epoch("orphan")).isEqualTo(2);
		assertThat(member.leads("held")).isTrue();
	}

	@Test
	void roleIsLostThoughAnOrphanKeepsTheNumberOfRowsRight() {
		SimulatedMember member = startLeader(LASTING, "lost", "kept");
		// One row of two goes to somebody else, and one that is not meant comes to us.
		this.cluster.write("orphan", 1, member.id());
		this.cluster.write("lost", 2, "thief");
		this.cluster.await(LASTING.renewInterval().plus(REQUESTS), () -> !member.leads("lost"));
		assertThat(member.leads("kept")).isTrue();
		this.cluster.pass(REQUESTS);
		assertThat(member.notified()).containsExactly("granted 1", "granted 1", "revoked 1 SUPERSEDED");
	}

	@Test
	void roleThatCouldNotBeReleasedIsReleasedWhenItIsSeen() {
		SimulatedMember first = startLeader(LASTING, "a");
		SimulatedMember second = this.cluster.start("a");
		first.fail("release", Fault.LOSE_REQUEST);
		first.election("a").resign();
		this.cluster.await(REQUESTS, () -> first.requests("release") > 0);
		first.heal();
		// One poll for the one to see it, and one for the other.
		this.cluster.await(SOON.multipliedBy(2), () -> second.leads("a"));
		assertThat(first.notified()).containsExactly("granted 1", "revoked 1 RESIGNED");
	}

	@ParameterizedTest
	@EnumSource(names = { "ANSWER_LATE", "LOSE_ANSWER" })
	void grantThatIsAnsweredTooLateIsReleased(Fault fault) {
		SimulatedMember first = startLeader(TIMING, "held");
		first.fail("acquire", fault);
		first.elections().join("late");
		this.cluster.await(SOON, () -> this.cluster.isHeld("late", first));
		if (fault == Fault.LOSE_ANSWER) {
			// It holds the role without knowing it, and polls do not show it.
			first.fail("observe", Fault.LOSE_REQUEST);
		}
		SimulatedMember rival = this.cluster.start("late");
		this.cluster.await(TIMING.ttl().plus(SOON), () -> {
			assertThat(first.leads("late")).isFalse();
			return rival.leads("late");
		});
		first.heal();
		this.cluster.holds(TIMING.ttl().multipliedBy(2), () -> rival.leads("late") && !first.leads("late"));
	}

	@Test
	void releaseThatFailsAtOnceIsNotTriedAllTheTime() {
		SimulatedMember first = startLeader(TIMING, "orphan");
		first.fail("release", Fault.LOSE_REQUEST);
		int before = first.requests("release");
		first.election("orphan").resign();
		this.cluster.await(SOON, () -> first.requests("release") > before + 1);
		SimulatedMember rival = this.cluster.start("orphan");
		this.cluster.await(TIMING.ttl().plus(SOON), () -> rival.leads("orphan"));
		// When it resigned, when it saw that it still held the role, and once in each
		// renew interval of the ttl.
		assertThat(first.requests("release") - before).isBetween(4, 5);
	}

	private SimulatedMember startLeader(LeaseTiming timing, String... roles) {
		SimulatedMember member = this.cluster.member().timing(timing).start(roles);
		this.cluster.await(SOON, () -> List.of(roles).stream().allMatch(member::leads));
		return member;
	}

}
