package io.leaderstarter.simulation;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

import io.leaderstarter.Leadership;
import io.leaderstarter.election.spi.TermGate;
import io.leaderstarter.election.state.LeaseTiming;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static io.leaderstarter.simulation.SimulatedCluster.LASTING;
import static io.leaderstarter.simulation.SimulatedCluster.REQUESTS;
import static io.leaderstarter.simulation.SimulatedCluster.SOON;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for how the election works with a gate that is asked before a member competes.
 */
class FencedElectionTests {

	/** The first delay after something failed. The next one is twice as long. */
	private static final Duration RETRY = Duration.ofMillis(250);

	/** How long what the gate answered is believed. */
	private static final Duration ANSWER_LASTS = Duration.ofSeconds(5);

	@RegisterExtension
	private final SimulatedCluster cluster = new SimulatedCluster();

	private final RememberingGate gate = new RememberingGate();

	@Test
	void termIsLetThroughBeforeItIsAnnounced() {
		SimulatedMember member = start();
		this.cluster.await(SOON, () -> member.leads("a"));
		assertThat(this.gate.epochs).containsEntry("a", 1L);
		member.elections().stop();
		SimulatedMember next = start();
		this.cluster.await(SOON, () -> next.leads("a"));
		assertThat(this.gate.epochs).containsEntry("a", 2L);
	}

	@Test
	void noEpochIsBurnedWhileTheGateCannotTell() {
		this.gate.away = true;
		SimulatedMember one = start();
		SimulatedMember other = start();
		// Each asks at once, and once more.
		this.cluster.await(RETRY.plus(SOON), () -> this.gate.asked.getOrDefault("a", 0) >= 4);
		assertThat(this.cluster.epoch("a")).isZero();
		assertThat(one.notified()).isEmpty();
		this.gate.away = false;
		this.cluster.await(RETRY.multipliedBy(2).plus(SOON), () -> one.leads("a") || other.leads("a"));
		assertThat(this.cluster.epoch("a")).isEqualTo(1);
	}

	@Test
	void nobodyStandsForARoleWhoseStoreLostData() {
		SimulatedMember first = start();
		this.cluster.await(SOON, () -> first.leads("a"));
		first.elections().stop();
		this.gate.epochs.put("a", 5L);
		SimulatedMember second = start();
		SimulatedMember third = start();
		this.cluster.await(SOON, () -> refuses(second) && refuses(third));
		this.cluster.holds(LASTING.ttl(), () -> !second.leads("a") && !third.leads("a") && refuses(second)
				&& refuses(third) && this.cluster.epoch("a") == 1);
		// The store was repaired.
		this.cluster.write("a", new LeaseServer.Lease(5, null, "", 0, LASTING.ttl().toNanos(), 0));
		this.cluster.await(SOON, () -> second.leads("a") || third.leads("a"));
		this.cluster.await(SOON, () -> !refuses(second) && !refuses(third));
		assertThat(this.cluster.epoch("a")).isEqualTo(6);
	}

	@Test
	void noEpochIsBurnedForARoleThatTheGateObjectsTo() {
		this.gate.objection = "The fence belongs to another store";
		SimulatedMember member = start();
		this.cluster.await(SOON,
				() -> member.elections().storeStatus().refused().containsValue("The fence belongs to another store"));
		this.cluster.holds(LASTING.ttl(), () -> this.cluster.epoch("a") == 0);
		this.gate.objection = null;
		this.cluster.await(ANSWER_LASTS.plus(SOON), () -> member.leads("a"));
		assertThat(member.elections().storeStatus().refused()).isEmpty();
		assertThat(this.cluster.epoch("a")).isEqualTo(1);
	}

	@Test
	void gateThatWasHeldUpIsTriedAgainLongBeforeALeaseWouldHaveRunOut() {
		this.gate.heldUp = 2;
		LeaseTiming timing = LeaseTiming.of(Duration.ofMinutes(2), Duration.ofMillis(300), Duration.ofSeconds(10));
		// Nobody but the member itself knows when it may compete again.
		SimulatedMember member = this.cluster.member()
			.timing(timing)
			.gate(this.gate)
			.pollInterval(Duration.ofSeconds(50))
			.start("a");
		this.cluster.await(RETRY.multipliedBy(3).plus(SOON), () -> member.leads("a"));
		assertThat(this.gate.heldUp).isZero();
		assertThat(this.cluster.epoch("a")).isEqualTo(3);
	}

	@Test
	void gateThatCouldNotTellOnceIsAskedAgainLongBeforeTheNextPoll() {
		this.gate.speechless = 1;
		SimulatedMember member = this.cluster.member().gate(this.gate).pollInterval(Duration.ofSeconds(50)).start("a");
		this.cluster.await(RETRY.plus(SOON), () -> member.leads("a"));
		assertThat(this.gate.speechless).isZero();
	}

	@Test
	void gateThatHangsHoldsUpNeitherRenewalsNorOtherRoles() {
		SimulatedMember member = start();
		this.cluster.await(SOON, () -> member.leads("a"));
		this.gate.hangs = true;
		member.elections().join("b");
		int renewals = member.requests("renew");
		this.cluster.await(LASTING.renewInterval().plus(REQUESTS).multipliedBy(5),
				() -> member.requests("renew") > renewals + 4);
		this.cluster.holds(LASTING.ttl(), () -> member.leads("a") && !member.leads("b"));
		this.gate.hangs = false;
		this.cluster.await(SOON, () -> member.leads("b"));
	}

	private static boolean refuses(SimulatedMember member) {
		return member.elections().storeStatus().refused().containsKey("a");
	}

	private SimulatedMember start() {
		return this.cluster.member().gate(this.gate).start("a");
	}

	/** The fences of all members: one memory of what was let through. */
	private final class RememberingGate implements TermGate {

		private final Map<String, Long> epochs = new HashMap<>();

		private final Map<String, Integer> asked = new HashMap<>();

		private int heldUp;

		private int speechless;

		private boolean away;

		private boolean hangs;

		private String objection;

		@Override
		public boolean isAsked() {
			return true;
		}

		@Override
		public Map<String, Passed> passed(Collection<String> roles) {
			roles.forEach((role) -> this.asked.merge(role, 1, Integer::sum));
			FencedElectionTests.this.cluster.hangWhile(() -> this.hangs);
			if (this.away || this.speechless > 0) {
				this.speechless = Math.max(0, this.speechless - 1);
				throw new IllegalStateException("the fence is away");
			}
			Map<String, Passed> passed = new HashMap<>();
			roles.forEach((role) -> passed.put(role, new Passed(this.epochs.getOrDefault(role, 0L), this.objection)));
			return passed;
		}

		@Override
		public void open(Leadership leadership) {
			if (this.heldUp > 0) {
				this.heldUp--;
				throw new IllegalStateException("a transaction holds the gate up");
			}
			this.epochs.merge(leadership.role(), leadership.epoch(), Math::max);
		}

	}

}
