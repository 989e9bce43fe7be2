package io.leaderstarter.election.state;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

import io.leaderstarter.Leadership;
import io.leaderstarter.RevocationReason;
import io.leaderstarter.election.spi.LeaseKey;
import io.leaderstarter.election.spi.Moment;
import io.leaderstarter.election.state.RoleState.Follower;
import io.leaderstarter.election.state.RoleState.Holder;
import io.leaderstarter.election.state.RoleState.Phase;
import io.leaderstarter.election.state.RoleStateMachine.Transition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RoleStateMachine}: every transition, and time at its edges.
 */
class RoleStateMachineTests {

	private static final String TERM_ID = "term-1";

	private static final Leadership TERM = new Leadership("role", 7, TERM_ID, "me", Instant.EPOCH);

	private static final LeaseKey LEASE = new LeaseKey("role", 7, TERM_ID);

	private static final Moment NOW = new Moment(1_000_000_000L, 50_000);

	private static final Deadline DEADLINE = new Deadline(NOW.plus(Duration.ofSeconds(10)));

	@Test
	void grantBeginsWithTheGateAndTellsNobody() {
		Transition transition = apply(Follower.INSTANCE, new RoleInput.Granted(TERM, DEADLINE));
		assertThat(transition.state()).isEqualTo(holder(Phase.ACQUIRED, null));
		assertThat(transition.effects()).containsExactly(new RoleEffect.OpenGate(TERM));
	}

	@Test
	void grantThatIsHeardOfAfterItsDeadlineIsGivenBack() {
		Transition transition = RoleStateMachine.apply(Follower.INSTANCE, new RoleInput.Granted(TERM, DEADLINE),
				DEADLINE.moment());
		assertThat(transition.state()).isEqualTo(Follower.INSTANCE);
		assertThat(transition.effects()).containsExactly(new RoleEffect.Release(LEASE));
	}

	@Test
	void grantThatIsHeardOfJustInTimeCounts() {
		Transition transition = RoleStateMachine.apply(Follower.INSTANCE, new RoleInput.Granted(TERM, DEADLINE),
				DEADLINE.moment().plus(Duration.ofMillis(-1)));
		assertThat(transition.state()).isInstanceOf(Holder.class);
	}

	@ParameterizedTest
	@EnumSource(Phase.class)
	void secondGrantIsGivenBackAndTheFirstTermGoesOn(Phase phase) {
		Leadership second = new Leadership("role", 8, "term-2", "me", Instant.EPOCH);
		Transition transition = apply(holder(phase, null), new RoleInput.Granted(second, DEADLINE));
		assertThat(transition.state()).isEqualTo(holder(phase, null));
		assertThat(transition.effects()).containsExactly(new RoleEffect.Release(new LeaseKey("role", 8, "term-2")));
	}

	@Test
	void openGateBeginsTheTerm() {
		Transition transition = apply(holder(Phase.ACQUIRED, null), new RoleInput.GateOpened(TERM_ID));
		assertThat(transition.state()).isEqualTo(holder(Phase.LEADER, null));
		assertThat(transition.effects()).containsExactly(new RoleEffect.AnnounceGranted(TERM));
	}

	@Test
	void gateThatOpensAtTheDeadlineOpensTooLate() {
		Transition transition = RoleStateMachine.apply(holder(Phase.ACQUIRED, null), new RoleInput.GateOpened(TERM_ID),
				DEADLINE.moment());
		assertThat(phase(transition)).isEqualTo(Phase.LOST);
		assertThat(transition.effects()).isEmpty();
	}

	@Test
	void closedGateGivesTheRoleUpInSilence() {
		Transition failed = apply(holder(Phase.ACQUIRED, null), new RoleInput.GateFailed(TERM_ID, "why"));
		assertThat(failed.effects()).containsExactly(new RoleEffect.Release(LEASE));
		Transition released = apply(failed.state(), new RoleInput.Released(TERM_ID));
		assertThat(released.state()).isEqualTo(Follower.INSTANCE);
		assertThat(released.effects()).isEmpty();
	}

	@ParameterizedTest
	@EnumSource(names = { "ACQUIRED", "LEADER", "LEAVING" })
	void renewalMovesTheDeadline(Phase phase) {
		Deadline later = new Deadline(DEADLINE.moment().plus(Duration.ofSeconds(5)));
		Transition transition = apply(holder(phase, null), new RoleInput.Renewed(TERM_ID, later));
		assertThat(transition.state()).isEqualTo(new Holder(TERM, later, phase, null));
	}

	@Test
	void renewalNeverMovesTheDeadlineBack() {
		Deadline earlier = new Deadline(NOW.plus(Duration.ofSeconds(1)));
		Transition transition = apply(holder(Phase.LEADER, null), new RoleInput.Renewed(TERM_ID, earlier));
		assertThat(transition.state()).isEqualTo(holder(Phase.LEADER, null));
	}

	@ParameterizedTest
	@EnumSource(names = { "DRAIN_TIMED_OUT", "RELEASING", "LOST" })
	void renewalOfWhatIsNotMeantIsDropped(Phase phase) {
		Deadline later = new Deadline(DEADLINE.moment().plus(Duration.ofSeconds(5)));
		Transition transition = apply(holder(phase, null), new RoleInput.Renewed(TERM_ID, later));
		assertThat(transition.state()).isEqualTo(holder(phase, null));
	}

	@Test
	void renewalThatIsAnsweredAtTheDeadlineIsDropped() {
		Deadline later = new Deadline(DEADLINE.moment().plus(Duration.ofSeconds(5)));
		Transition transition = RoleStateMachine.apply(holder(Phase.LEADER, null),
				new RoleInput.Renewed(TERM_ID, later), DEADLINE.moment());
		assertThat(phase(transition)).isEqualTo(Phase.LOST);
		assertThat(transition.effects())
			.containsExactly(new RoleEffect.AnnounceRevoked(TERM, RevocationReason.LEASE_EXPIRED));
	}

	@Test
	void refusedRenewalEndsTheTermAtOnce() {
		Transition transition = apply(holder(Phase.LEADER, null), new RoleInput.RenewalRefused(TERM_ID));
		assertThat(transition.state()).isEqualTo(holder(Phase.LOST, RevocationReason.SUPERSEDED));
		assertThat(transition.effects())
			.containsExactly(new RoleEffect.AnnounceRevoked(TERM, RevocationReason.SUPERSEDED));
	}

	@Test
	void refusedRenewalBeforeTheTermWasAnnouncedTellsNobody() {
		Transition transition = apply(holder(Phase.ACQUIRED, null), new RoleInput.RenewalRefused(TERM_ID));
		assertThat(phase(transition)).isEqualTo(Phase.LOST);
		assertThat(transition.effects()).isEmpty();
	}

	@Test
	void deadlineEndsTheTermByTheMonotonicClock() {
		Moment byMonotonic = new Moment(DEADLINE.moment().nanos(), NOW.wallMillis());
		Transition transition = RoleStateMachine.apply(holder(Phase.LEADER, null), RoleInput.TimePassed.INSTANCE,
				byMonotonic);
		assertThat(transition.effects())
			.containsExactly(new RoleEffect.AnnounceRevoked(TERM, RevocationReason.LEASE_EXPIRED));
	}

	@Test
	void deadlineEndsTheTermByTheWallClock() {
		Moment byWall = new Moment(NOW.nanos(), DEADLINE.moment().wallMillis());
		Transition transition = RoleStateMachine.apply(holder(Phase.LEADER, null), RoleInput.TimePassed.INSTANCE,
				byWall);
		assertThat(transition.effects())
			.containsExactly(new RoleEffect.AnnounceRevoked(TERM, RevocationReason.LEASE_EXPIRED));
	}

	@Test
	void nothingEndsBeforeTheDeadline() {
		Moment before = new Moment(DEADLINE.moment().nanos() - 1, DEADLINE.moment().wallMillis() - 1);
		Transition transition = RoleStateMachine.apply(holder(Phase.LEADER, null), RoleInput.TimePassed.INSTANCE,
				before);
		assertThat(transition.state()).isEqualTo(holder(Phase.LEADER, null));
		assertThat(transition.effects()).isEmpty();
	}

	@Test
	void leavingIsRenewedUntilItIsDrainedThenReleasedThenTold() {
		Transition leaving = apply(holder(Phase.LEADER, null), new RoleInput.Leave(RevocationReason.SHUTDOWN));
		assertThat(leaving.state()).isEqualTo(holder(Phase.LEAVING, RevocationReason.SHUTDOWN));
		assertThat(leaving.effects()).isEmpty();
		assertThat(phase(leaving).isRenewed()).isTrue();
		Transition drained = apply(leaving.state(), new RoleInput.Drained(TERM_ID));
		assertThat(phase(drained)).isEqualTo(Phase.RELEASING);
		assertThat(drained.effects()).containsExactly(new RoleEffect.Release(LEASE));
		Transition released = apply(drained.state(), new RoleInput.Released(TERM_ID));
		assertThat(released.state()).isEqualTo(Follower.INSTANCE);
		assertThat(released.effects()).containsExactly(new RoleEffect.AnnounceRevoked(TERM, RevocationReason.SHUTDOWN));
	}

	@Test
	void leavingThatMissesTheDeadlineIsToldThenAndNotReleased() {
		Transition transition = RoleStateMachine.apply(holder(Phase.LEAVING, RevocationReason.RESIGNED),
				RoleInput.TimePassed.INSTANCE, DEADLINE.moment());
		assertThat(transition.state()).isEqualTo(holder(Phase.LOST, RevocationReason.RESIGNED));
		assertThat(transition.effects())
			.containsExactly(new RoleEffect.AnnounceRevoked(TERM, RevocationReason.RESIGNED));
	}

	@Test
	void leavingBeforeTheTermWasAnnouncedReleasesAtOnceAndTellsNobody() {
		Transition transition = apply(holder(Phase.ACQUIRED, null), new RoleInput.Leave(RevocationReason.SHUTDOWN));
		assertThat(transition.state()).isEqualTo(holder(Phase.RELEASING, null));
		assertThat(transition.effects()).containsExactly(new RoleEffect.Release(LEASE));
	}

	@Test
	void drainThatTakesTooLongLetsTheRoleRunOut() {
		Transition letGo = apply(holder(Phase.LEAVING, RevocationReason.SHUTDOWN),
				new RoleInput.DrainTimedOut(TERM_ID));
		assertThat(letGo.state()).isEqualTo(holder(Phase.DRAIN_TIMED_OUT, RevocationReason.SHUTDOWN));
		assertThat(phase(letGo).isRenewed()).isFalse();
		Transition over = RoleStateMachine.apply(letGo.state(), RoleInput.TimePassed.INSTANCE, DEADLINE.moment());
		assertThat(phase(over)).isEqualTo(Phase.LOST);
		assertThat(over.effects()).containsExactly(new RoleEffect.AnnounceRevoked(TERM, RevocationReason.SHUTDOWN));
	}

	@Test
	void callThatEndsAfterTheDrainTimeOutStillReleases() {
		Transition transition = apply(holder(Phase.DRAIN_TIMED_OUT, RevocationReason.SHUTDOWN),
				new RoleInput.Drained(TERM_ID));
		assertThat(phase(transition)).isEqualTo(Phase.RELEASING);
		assertThat(transition.effects()).containsExactly(new RoleEffect.Release(LEASE));
	}

	@Test
	void lostTermIsKeptUntilItsCallsHaveEnded() {
		Holder lost = holder(Phase.LOST, RevocationReason.SUPERSEDED);
		assertThat(apply(lost, RoleInput.TimePassed.INSTANCE).state()).isEqualTo(lost);
		assertThat(apply(lost, new RoleInput.Leave(RevocationReason.SHUTDOWN)).state()).isEqualTo(lost);
		Transition drained = apply(lost, new RoleInput.Drained(TERM_ID));
		assertThat(drained.state()).isEqualTo(Follower.INSTANCE);
		assertThat(drained.effects()).isEmpty();
	}

	@ParameterizedTest
	@EnumSource(names = { "LEADER", "LEAVING", "DRAIN_TIMED_OUT" })
	void refusalByTheFenceEndsATerm(Phase phase) {
		RevocationReason reason = (phase != Phase.LEADER) ? RevocationReason.RESIGNED : null;
		Transition transition = apply(holder(phase, reason), new RoleInput.FenceRefused(TERM_ID));
		RevocationReason expected = (reason != null) ? reason : RevocationReason.FENCE_REFUSED;
		assertThat(transition.state()).isEqualTo(holder(Phase.LOST, expected));
		assertThat(transition.effects()).containsExactly(new RoleEffect.AnnounceRevoked(TERM, expected));
	}

	@ParameterizedTest
	@EnumSource(names = { "ACQUIRED", "RELEASING", "LOST" })
	void refusalByTheFenceChangesNothingBeforeAndAfterATerm(Phase phase) {
		RevocationReason reason = (phase != Phase.ACQUIRED) ? RevocationReason.RESIGNED : null;
		Transition transition = apply(holder(phase, reason), new RoleInput.FenceRefused(TERM_ID));
		assertThat(transition.state()).isEqualTo(holder(phase, reason));
		assertThat(transition.effects()).isEmpty();
	}

	@Test
	void drainedDoesNotEndATermThatIsNotEnding() {
		assertThat(apply(holder(Phase.LEADER, null), new RoleInput.Drained(TERM_ID)).state())
			.isEqualTo(holder(Phase.LEADER, null));
	}

	@ParameterizedTest
	@MethodSource("inputsOfAnotherTerm")
	void whatConcernsAnotherTermChangesNothing(RoleInput input) {
		for (Phase phase : Phase.values()) {
			Transition transition = apply(holder(phase, null), input);
			assertThat(transition.state()).as("%s in %s", input, phase).isEqualTo(holder(phase, null));
			assertThat(transition.effects()).isEmpty();
		}
	}

	@ParameterizedTest
	@MethodSource("inputsOfAnotherTerm")
	void followerHasNothingToLose(RoleInput input) {
		Transition transition = apply(Follower.INSTANCE, input);
		assertThat(transition.state()).isEqualTo(Follower.INSTANCE);
		assertThat(transition.effects()).isEmpty();
	}

	static Stream<RoleInput> inputsOfAnotherTerm() {
		return Stream.of(new RoleInput.GateOpened("other"), new RoleInput.GateFailed("other", "why"),
				new RoleInput.Renewed("other", new Deadline(DEADLINE.moment().plus(Duration.ofSeconds(1)))),
				new RoleInput.RenewalRefused("other"), new RoleInput.FenceRefused("other"),
				new RoleInput.Drained("other"), new RoleInput.DrainTimedOut("other"), new RoleInput.Released("other"));
	}

	@Test
	void everyTermThatIsAnnouncedIsRevokedExactlyOnceWhateverHappens() {
		// All sequences of six inputs, at moments before and after the deadline.
		List<RoleInput> inputs = List.of(new RoleInput.GateOpened(TERM_ID), new RoleInput.GateFailed(TERM_ID, "why"),
				new RoleInput.Renewed(TERM_ID, new Deadline(DEADLINE.moment().plus(Duration.ofSeconds(1)))),
				new RoleInput.RenewalRefused(TERM_ID), new RoleInput.FenceRefused(TERM_ID),
				new RoleInput.Leave(RevocationReason.RESIGNED), new RoleInput.Drained(TERM_ID),
				new RoleInput.DrainTimedOut(TERM_ID), new RoleInput.Released(TERM_ID), RoleInput.TimePassed.INSTANCE);
		explore(apply(Follower.INSTANCE, new RoleInput.Granted(TERM, DEADLINE)).state(), inputs, NOW, 6, 0, 0);
	}

	private void explore(RoleState state, List<RoleInput> inputs, Moment now, int depth, int granted, int revoked) {
		assertThat(granted).isLessThanOrEqualTo(1);
		assertThat(revoked).isLessThanOrEqualTo(granted);
		if (state instanceof Follower) {
			assertThat(revoked).as("nobody is left believing in a term that is over").isEqualTo(granted);
			return;
		}
		if (depth == 0) {
			return;
		}
		for (RoleInput input : inputs) {
			for (Moment moment : List.of(now, now.plus(Duration.ofSeconds(20)))) {
				Transition next = RoleStateMachine.apply(state, input, moment);
				int grants = count(next, RoleEffect.AnnounceGranted.class);
				int revokes = count(next, RoleEffect.AnnounceRevoked.class);
				explore(next.state(), inputs, moment, depth - 1, granted + grants, revoked + revokes);
			}
		}
	}

	private static int count(Transition transition, Class<? extends RoleEffect> type) {
		return (int) transition.effects().stream().filter(type::isInstance).count();
	}

	private static Transition apply(RoleState state, RoleInput input) {
		return RoleStateMachine.apply(state, input, NOW);
	}

	private static Holder holder(Phase phase, RevocationReason reason) {
		return new Holder(TERM, DEADLINE, phase, reason);
	}

	private static Phase phase(Transition transition) {
		return ((Holder) transition.state()).phase();
	}

}
