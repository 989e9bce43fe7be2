package io.leaderstarter.election;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.leaderstarter.Leadership;
import io.leaderstarter.election.spi.Platform;
import io.leaderstarter.election.state.Deadline;
import io.leaderstarter.election.state.Failures;
import io.leaderstarter.election.state.RoleInput;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link PollPlan}.
 */
class PollPlanTests {

	private static final Duration POLL = Duration.ofSeconds(4);

	private final ManualTime time = new ManualTime();

	private final RoleElection election = election("role");

	private final PollPlan plan = new PollPlan(this.time, () -> POLL);

	@Test
	void roleIsLookedAtAtOnceAndThenWhenItIsDue() {
		assertDue("role");
		this.plan.pollIn("role", POLL);
		assertDue();
		assertThat(this.plan.untilNext(List.of(this.election), this.time.now())).isEqualTo(POLL);
		this.time.pass(POLL.minusMillis(1));
		assertDue();
		this.time.pass(Duration.ofMillis(1));
		assertDue("role");
	}

	@Test
	void roleThatIsSoonDueComesAlong() {
		RoleElection other = election("other");
		this.plan.pollIn("role", Duration.ZERO);
		this.plan.pollIn("other", Duration.ofMillis(900));
		assertThat(this.plan.due(List.of(this.election, other), this.time.now())).containsOnlyKeys("role", "other");
		this.plan.pollIn("other", Duration.ofMillis(1100));
		assertThat(this.plan.due(List.of(this.election, other), this.time.now())).containsOnlyKeys("role");
	}

	@Test
	void earlierLookIsKept() {
		this.plan.pollIn("role", Duration.ofSeconds(1));
		this.plan.pollWithin("role", Duration.ofSeconds(2));
		this.time.pass(Duration.ofSeconds(1));
		assertDue("role");
		this.plan.pollWithin("role", Duration.ZERO);
		assertDue("role");
	}

	@Test
	void leaseIsSeenAgainBeforeOneThatWasRenewedAtOnceHasExpired() {
		Duration ttl = POLL.minusMillis(500);
		this.plan.pollIn("role", POLL);
		this.plan.pollLease("role", ttl, ttl);
		this.time.pass(ttl.minusMillis(100));
		assertDue("role");
		this.plan.pollIn("role", POLL);
		this.plan.pollLease("role", Duration.ofSeconds(2), ttl);
		this.time.pass(Duration.ofMillis(1999));
		assertDue();
		this.time.pass(Duration.ofMillis(1));
		assertDue("role");
	}

	@Test
	void roleIsLookedAtAtOnceWhenItsTermHasEnded() {
		this.plan.pollIn("role", POLL);
		lead();
		assertDue();
		this.election.resign();
		this.election.apply(new RoleInput.Released("term"));
		assertDue("role");
	}

	@Test
	void roleThatWasLostIsLookedAtWhileItsCallRunsAndAtOnceWhenThatHasEnded() {
		lead();
		RoleCall call = this.election.enter();
		this.election.apply(new RoleInput.RenewalRefused("term"));
		assertDue("role");
		this.plan.pollIn("role", POLL);
		assertDue();
		call.close();
		assertDue("role");
		this.plan.pollIn("role", POLL);
		assertDue();
	}

	private void lead() {
		Leadership term = new Leadership("role", 1, "term", "me", Instant.EPOCH);
		this.election.apply(new RoleInput.Granted(term, new Deadline(this.time.now().plus(POLL))));
		this.election.apply(new RoleInput.GateOpened("term"));
	}

	private void assertDue(String... roles) {
		assertThat(this.plan.due(List.of(this.election), this.time.now()).keySet()).containsExactly(roles);
	}

	private RoleElection election(String role) {
		return new RoleElection(role, true, new Failures(0, POLL), Platform.of(this.time), new QuietEffects());
	}

}
