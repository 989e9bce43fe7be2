package io.leaderstarter.election;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.leaderstarter.Leadership;
import io.leaderstarter.LeadershipListener;
import io.leaderstarter.RevocationReason;
import io.leaderstarter.election.spi.LeaseKey;
import io.leaderstarter.election.spi.Platform;
import io.leaderstarter.election.state.Deadline;
import io.leaderstarter.election.state.Failures;
import io.leaderstarter.election.state.RoleEffect;
import io.leaderstarter.election.state.RoleInput;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

/**
 * Tests for {@link RoleElection}.
 */
class RoleElectionTests {

	private static final Leadership TERM = new Leadership("role", 1, "term", "me", Instant.EPOCH);

	private final ManualTime time = new ManualTime();

	private final RecordedEffects effects = new RecordedEffects();

	private final RoleElection election = new RoleElection("role", true, new Failures(0, Duration.ofSeconds(15)),
			Platform.of(this.time), this.effects);

	@Test
	void leadsOnlyOnceTheGateIsOpen() {
		grant();
		assertThat(this.election.isLeader()).isFalse();
		assertThat(this.election.enter()).isNull();
		this.election.apply(new RoleInput.GateOpened("term"));
		assertThat(this.election.isLeader()).isTrue();
		assertThat(this.election.leadership()).contains(TERM);
	}

	@Test
	void leadsNoMoreFromTheDeadlineOnThoughNobodyNoticed() {
		lead();
		this.time.pass(Duration.ofMillis(9999));
		assertThat(this.election.isLeader()).isTrue();
		this.time.pass(Duration.ofMillis(1));
		assertThat(this.election.isLeader()).isFalse();
		assertThat(this.election.leadership()).isEmpty();
		assertThat(this.election.enter()).isNull();
	}

	@Test
	void leadsNoMoreAfterTheMachineWasSuspended() {
		lead();
		this.time.passOnTheWallOnly(Duration.ofSeconds(10));
		assertThat(this.election.isLeader()).isFalse();
	}

	@Test
	void roleIsNotReleasedWhileACallRuns() {
		lead();
		RoleCall call = this.election.enter();
		this.election.resign();
		assertThat(this.election.isLeader()).isFalse();
		assertThat(this.election.enter()).isNull();
		assertThat(call.isValid()).isTrue();
		assertThat(this.election.terms().intendedLease()).isEqualTo(new LeaseKey("role", 1, "term"));
		assertThat(this.effects.released).isEmpty();
		call.close();
		assertThat(this.effects.released).containsExactly(new LeaseKey("role", 1, "term"));
	}

	@Test
	void callKnowsThatItsTermIsLostAndHoldsTheRoleBackUntilItEnds() {
		lead();
		RoleCall call = this.election.enter();
		this.election.apply(new RoleInput.RenewalRefused("term"));
		assertThat(call.isValid()).isFalse();
		assertThat(this.election.mayCompete(this.time.now())).isFalse();
		call.close();
		assertThat(this.election.mayCompete(this.time.now())).isTrue();
	}

	@Test
	void callOfAnEarlierTermIsNotValidInTheNext() {
		lead();
		RoleCall call = this.election.enter();
		this.election.apply(new RoleInput.RenewalRefused("term"));
		call.close();
		Leadership next = new Leadership("role", 2, "term-2", "me", Instant.EPOCH);
		this.election.apply(new RoleInput.Granted(next, deadline()));
		this.election.apply(new RoleInput.GateOpened("term-2"));
		assertThat(this.election.isLeader()).isTrue();
		assertThat(call.isValid()).isFalse();
		assertThat(call.isEnding()).as("for a task of the call that goes on").isTrue();
	}

	@Test
	void callIsToldOnceThatItsTermIsLost() {
		lead();
		List<String> notified = new ArrayList<>();
		RoleCall call = this.election.enter();
		call.onCancel(() -> notified.add("first"));
		call.onCancel(() -> notified.add("withdrawn")).close();
		this.election.apply(new RoleInput.RenewalRefused("term"));
		assertThat(notified).containsExactly("first");
		// Too late to be notified later, so at once.
		call.onCancel(() -> notified.add("second"));
		call.close();
		assertThat(notified).containsExactly("first", "second");
	}

	@Test
	void callIsNotToldWhileItMayEndInPeace() {
		lead();
		List<String> notified = new ArrayList<>();
		RoleCall call = this.election.enter();
		call.onCancel(() -> notified.add("cancelled"));
		assertThat(call.isEnding()).isFalse();
		this.election.resign();
		assertThat(call.isEnding()).isTrue();
		assertThat(notified).isEmpty();
		this.election.apply(new RoleInput.DrainTimedOut("term"));
		assertThat(notified).containsExactly("cancelled");
	}

	@Test
	void callThatHasEndedIsNotTold() {
		lead();
		List<String> notified = new ArrayList<>();
		RoleCall other = this.election.enter();
		RoleCall call = this.election.enter();
		call.onCancel(() -> notified.add("cancelled"));
		call.close();
		this.election.apply(new RoleInput.RenewalRefused("term"));
		assertThat(notified).isEmpty();
		other.close();
	}

	@Test
	void nobodyWaitsForARoleThatThisMemberDoesNotStandFor() {
		this.election.pause();
		assertThat(this.election.enter(Duration.ofDays(1), true)).isNull();
		this.election.resume();
		RoleElection other = new RoleElection("role", false, new Failures(0, Duration.ofSeconds(15)),
				Platform.of(this.time), this.effects);
		assertThat(other.enter(Duration.ofDays(1), true)).isNull();
	}

	@Test
	void memberThatLeftARoleStandsForItAsSoonAsItJoinsAgain() {
		lead();
		this.election.leave();
		this.election.participation().comeBack();
		this.election.apply(new RoleInput.Released("term"));
		assertThat(this.election.mayCompete(this.time.now())).isTrue();
		lead(this.election, new Leadership("role", 2, "term-2", "me", Instant.EPOCH));
		this.election.resign();
		this.election.apply(new RoleInput.Released("term-2"));
		assertThat(this.election.mayCompete(this.time.now())).isFalse();
	}

	@Test
	void resignationWithoutATermIsForgotten() {
		this.election.resign();
		lead();
		this.election.apply(new RoleInput.Leave(RevocationReason.REBALANCED));
		this.election.apply(new RoleInput.Released("term"));
		assertThat(this.election.mayCompete(this.time.now())).isTrue();
	}

	@Test
	void callsThatFailTogetherAreOneReasonToYield() {
		RoleElection election = new RoleElection("role", true, new Failures(1, Duration.ofSeconds(15)),
				Platform.of(this.time), this.effects);
		lead(election, TERM);
		RoleCall one = election.enter();
		RoleCall other = election.enter();
		one.end(new IllegalStateException("one"));
		other.end(new IllegalStateException("other"));
		election.apply(new RoleInput.Released("term"));
		assertThat(standsAgainAfter(election)).isEqualTo(Duration.ofMillis(18_750));
	}

	@Test
	void roleWhoseWorkFailsAgainAndAgainIsGivenUp() {
		RoleElection election = new RoleElection("role", true, new Failures(2, Duration.ofSeconds(15)),
				Platform.of(this.time), this.effects);
		lead(election, TERM);
		election.enter().end(new IllegalStateException("first"));
		election.enter().end(null);
		election.enter().end(new IllegalStateException("first again, as one went well"));
		assertThat(election.isLeader()).isTrue();
		election.enter().end(new IllegalStateException("second"));
		assertThat(election.isLeader()).isFalse();
		election.apply(new RoleInput.Released("term"));
		assertThat(standsAgainAfter(election)).isEqualTo(Duration.ofMillis(18_750));
		lead(election, new Leadership("role", 2, "term-2", "me", Instant.EPOCH));
		election.enter().end(new IllegalStateException("first"));
		election.enter().end(new IllegalStateException("second"));
		election.apply(new RoleInput.Released("term-2"));
		assertThat(standsAgainAfter(election)).isEqualTo(Duration.ofMillis(37_500));
		assertThat(election.record().history()).extracting(RoleStatus.Change::reason).contains("YIELDED");
	}

	@Test
	void waitingEndsWithTheTermOrInTime() throws Exception {
		assertThat(this.election.termWait().await(Duration.ofMillis(1))).isEmpty();
		CountDownLatch waits = new CountDownLatch(1);
		AtomicReference<Optional<Leadership>> led = new AtomicReference<>();
		Thread waiting = new Thread(() -> {
			waits.countDown();
			try {
				led.set(this.election.termWait().await(ChronoUnit.FOREVER.getDuration()));
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		});
		waiting.start();
		waits.await();
		lead();
		waiting.join(20_000);
		assertThat(led.get()).contains(TERM);
	}

	@Test
	void memberThatResignedLetsOthersGoFirst() {
		lead();
		this.election.resign();
		this.election.apply(new RoleInput.Released("term"));
		assertThat(this.election.mayCompete(this.time.now())).isFalse();
		this.time.pass(Duration.ofSeconds(15));
		assertThat(this.election.mayCompete(this.time.now())).isFalse();
		this.time.pass(Duration.ofSeconds(4));
		assertThat(this.election.mayCompete(this.time.now())).isTrue();
	}

	@Test
	void memberThatResignedLetsOthersGoFirstHoweverLongItsCallTook() {
		lead();
		RoleCall call = this.election.enter();
		this.election.resign();
		this.time.pass(Duration.ofSeconds(9));
		this.election.apply(new RoleInput.Renewed("term", deadline()));
		this.time.pass(Duration.ofSeconds(9));
		call.close();
		this.election.apply(new RoleInput.Released("term"));
		assertThat(this.election.mayCompete(this.time.now())).isFalse();
	}

	@Test
	void memberThatIsPausedGivesTheRoleUpAndStandsForItOnlyWhenItIsResumed() {
		lead();
		this.election.pause();
		assertThat(this.election.isLeader()).isFalse();
		this.election.apply(new RoleInput.Released("term"));
		this.time.pass(Duration.ofDays(1));
		assertThat(this.election.mayCompete(this.time.now())).isFalse();
		this.election.resume();
		assertThat(this.election.mayCompete(this.time.now())).isTrue();
	}

	@Test
	void termThatWasAskedForBeforeAPauseIsGivenUpAtOnce() {
		this.election.pause();
		grant();
		assertThat(this.effects.released).containsExactly(new LeaseKey("role", 1, "term"));
		this.election.apply(new RoleInput.GateOpened("term"));
		assertThat(this.election.isLeader()).isFalse();
	}

	@Test
	void lastChangesAreRemembered() {
		lead();
		this.time.pass(Duration.ofSeconds(1));
		this.election.pause();
		this.election.apply(new RoleInput.Released("term"));
		assertThat(this.election.record().history())
			.extracting(RoleStatus.Change::from, RoleStatus.Change::to, RoleStatus.Change::reason)
			.containsExactly(tuple("FOLLOWER", "ACQUIRED", null), tuple("ACQUIRED", "LEADER", null),
					tuple("LEADER", "LEAVING", "PAUSED"), tuple("LEAVING", "RELEASING", "PAUSED"),
					tuple("RELEASING", "FOLLOWER", "PAUSED"));
		assertThat(this.election.record().history()).allSatisfy((change) -> assertThat(change.epoch()).isEqualTo(1));
		assertThat(Duration.between(this.election.record().history().get(0).at(),
				this.election.record().history().get(2).at()))
			.isEqualTo(Duration.ofSeconds(1));
		this.election.resume();
		grant();
		this.election.apply(new RoleInput.GateFailed("term", "the fence is away"));
		assertThat(this.election.record().history()).last()
			.extracting(RoleStatus.Change::reason)
			.isEqualTo("the fence is away");
		for (int i = 0; i < 100; i++) {
			this.election.apply(new RoleInput.Released("term"));
			grant();
			this.election.apply(new RoleInput.GateFailed("term", "again"));
		}
		assertThat(this.election.record().history()).hasSize(8)
			.last()
			.extracting(RoleStatus.Change::reason)
			.isEqualTo("again");
	}

	@Test
	void callsAndTermsAreCounted() {
		assertThat(this.election.enter()).isNull();
		lead();
		this.election.enter().close();
		this.election.enter().close();
		this.election.resign();
		this.election.apply(new RoleInput.Released("term"));
		assertThat(this.election.enter()).isNull();
		assertThat(this.election.record().counts()).isEqualTo(new RoleStatus.Counts(1, 1, 2, 2));
	}

	@Test
	void timeWithoutALeaderEndsWhenTheTermBegins() {
		this.election.record().vacantSince(this.time.now());
		this.time.pass(Duration.ofMillis(300));
		grant();
		this.time.pass(Duration.ofMillis(20));
		this.election.apply(new RoleInput.GateOpened("term"));
		assertThat(this.election.vacancy()).isEqualTo(Duration.ofMillis(320));
	}

	@Test
	void listenerThatComesLateIsToldOfThePresentTerm() {
		lead();
		List<String> notified = new ArrayList<>();
		this.election.onChange(new LeadershipListener() {

			@Override
			public void onGranted(Leadership leadership) {
				notified.add("granted " + leadership.epoch());
			}

			@Override
			public void onRevoked(Leadership leadership, RevocationReason reason) {
				notified.add("revoked " + reason);
			}

		});
		this.election.apply(new RoleInput.RenewalRefused("term"));
		assertThat(notified).containsExactly("granted 1", "revoked SUPERSEDED");
	}

	@Test
	void noCallIsLetInOrOverlookedWhileTheTermEnds() throws Exception {
		for (int round = 0; round < 300; round++) {
			RecordedEffects effects = new RecordedEffects();
			RoleElection election = new RoleElection("role", true, new Failures(0, Duration.ofSeconds(15)),
					Platform.of(this.time), effects);
			election.apply(new RoleInput.Granted(TERM, deadline()));
			election.apply(new RoleInput.GateOpened("term"));
			AtomicInteger inside = new AtomicInteger();
			AtomicBoolean overlap = new AtomicBoolean();
			effects.onRelease = () -> overlap.compareAndSet(false, inside.get() > 0);
			CountDownLatch go = new CountDownLatch(1);
			List<Thread> threads = new ArrayList<>();
			for (int i = 0; i < 2; i++) {
				Thread thread = new Thread(() -> {
					await(go);
					for (int attempt = 0; attempt < 50; attempt++) {
						RoleCall call = election.enter();
						if (call != null) {
							inside.incrementAndGet();
							inside.decrementAndGet();
							call.close();
						}
					}
				});
				thread.start();
				threads.add(thread);
			}
			go.countDown();
			election.apply(new RoleInput.Leave(RevocationReason.RESIGNED));
			for (Thread thread : threads) {
				thread.join();
			}
			assertThat(overlap).isFalse();
			assertThat(effects.released).containsExactly(new LeaseKey("role", 1, "term"));
		}
	}

	private void grant() {
		this.election.apply(new RoleInput.Granted(TERM, deadline()));
	}

	private void lead() {
		grant();
		this.election.apply(new RoleInput.GateOpened("term"));
	}

	private void lead(RoleElection election, Leadership term) {
		election.apply(new RoleInput.Granted(term, deadline()));
		election.apply(new RoleInput.GateOpened(term.termId()));
	}

	private Duration standsAgainAfter(RoleElection election) {
		Duration waited = Duration.ZERO;
		while (!election.mayCompete(this.time.now())) {
			this.time.pass(Duration.ofMillis(250));
			waited = waited.plusMillis(250);
		}
		return waited;
	}

	private Deadline deadline() {
		return new Deadline(this.time.now().plus(Duration.ofSeconds(10)));
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static final class RecordedEffects extends QuietEffects {

		private final List<LeaseKey> released = new ArrayList<>();

		private Runnable onRelease = () -> {
		};

		@Override
		public void perform(RoleElection election, RoleEffect effect) {
			if (effect instanceof RoleEffect.Release release) {
				this.onRelease.run();
				this.released.add(release.lease());
			}
			else if (effect instanceof RoleEffect.AnnounceRevoked revoked) {
				election.listeners().forEach((listener) -> listener.onRevoked(revoked.leadership(), revoked.reason()));
			}
		}

	}

}
