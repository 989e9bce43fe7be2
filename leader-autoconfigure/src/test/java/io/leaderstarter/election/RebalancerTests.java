package io.leaderstarter.election;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

import io.leaderstarter.Leadership;
import io.leaderstarter.Member;
import io.leaderstarter.RevocationReason;
import io.leaderstarter.election.membership.MemberCard;
import io.leaderstarter.election.membership.Placement;
import io.leaderstarter.election.membership.Preferences;
import io.leaderstarter.election.membership.Roster;
import io.leaderstarter.election.spi.LeaseKey;
import io.leaderstarter.election.spi.Platform;
import io.leaderstarter.election.state.Deadline;
import io.leaderstarter.election.state.Failures;
import io.leaderstarter.election.state.RoleEffect;
import io.leaderstarter.election.state.RoleInput;
import io.leaderstarter.election.state.RoleState;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Rebalancer}, with elections that do what it says.
 */
class RebalancerTests {

	private static final Duration TTL = Duration.ofSeconds(15);

	private final ManualTime time = new ManualTime();

	private final Map<String, RoleElection> elections = new TreeMap<>();

	private final List<LeaseKey> released = new ArrayList<>();

	private final List<Roster.Entry> listed = new ArrayList<>();

	private final Rebalancer rebalancer = new Rebalancer(
			new Preferences(() -> this.listed, Placement.SPREAD, (role) -> 0, "me", TTL, () -> Duration.ZERO), TTL);

	@Test
	void roleGoesToTheMemberThatIsFirstForItOnceThatIsThereToStay() {
		lead(3);
		list("other", 1, 2);
		rebalance();
		assertThat(this.released).isEmpty();
		list("other", 1, 3);
		rebalance();
		assertThat(this.released).hasSize(1);
		RoleState.Holder holder = (RoleState.Holder) this.elections.get(this.released.get(0).role()).state();
		assertThat(holder.reason()).isEqualTo(RevocationReason.REBALANCED);
	}

	@Test
	void roleThatWasTakenFromAMemberThatCrashedIsKeptAsLongAsThatIsListed() {
		lead(1);
		list("crashed", 1, 9);
		RoleElection election = this.elections.get("role-0");
		election.apply(new RoleInput.RenewalRefused(((RoleState.Holder) election.state()).leadership().termId()));
		grant(election);
		this.time.pass(TTL.multipliedBy(3).minusMillis(1));
		rebalance();
		assertThat(this.released).isEmpty();
		this.time.pass(Duration.ofMillis(1));
		rebalance();
		assertThat(this.released).hasSize(1);
	}

	@Test
	void nothingGoesToAMemberThatIsNotFirst() {
		lead(30);
		list("other", -1, 5);
		rebalance();
		assertThat(this.released).isEmpty();
	}

	@Test
	void nothingGoesToTheSecondWhileTheFirstIsNotThereToStay() {
		lead(3);
		list("second", 1, 5);
		list("first", 2, 1);
		rebalance();
		assertThat(this.released).isEmpty();
	}

	@Test
	void tenthOfTheRolesIsOnItsWayAtATime() {
		lead(50);
		list("other", 1, 3);
		rebalance();
		assertThat(this.released).hasSize(5);
		rebalance();
		assertThat(this.released).as("these are still on their way").hasSize(5);
		freeAll();
		rebalance();
		assertThat(this.released).hasSize(5 + 4);
		for (int i = 0; i < 100; i++) {
			freeAll();
			rebalance();
		}
		assertThat(this.released).hasSize(50);
	}

	@Test
	void memberDoesNotStandAtOnceForARoleThatItHandedOver() {
		lead(1);
		list("other", 1, 3);
		rebalance();
		freeAll();
		RoleElection election = this.elections.get("role-0");
		assertThat(election.mayCompete(this.time.now())).isFalse();
		this.time.pass(TTL.dividedBy(3));
		assertThat(election.mayCompete(this.time.now())).isTrue();
	}

	@Test
	void roleThatCameBackIsKeptForAWhile() {
		lead(1);
		list("other", 1, 3);
		rebalance();
		freeAll();
		// The other one could not lead, so it came back.
		grant(this.elections.get("role-0"));
		rebalance();
		this.time.pass(TTL.multipliedBy(10).minusMillis(1));
		rebalance();
		assertThat(this.released).hasSize(1);
		this.time.pass(Duration.ofMillis(1));
		rebalance();
		assertThat(this.released).hasSize(2);
	}

	@Test
	void roleWithARunningCallIsPassedOverUnlessItAlwaysHasOne() {
		lead(2);
		list("other", 1, 3);
		RoleCall first = this.elections.get("role-0").enter();
		rebalance();
		assertThat(this.released).extracting(LeaseKey::role).containsExactly("role-1");
		freeAll();
		for (int i = 0; i < 9; i++) {
			rebalance();
		}
		assertThat(first.isValid()).isTrue();
		assertThat(this.elections.get("role-0").isLeader()).isTrue();
		rebalance();
		assertThat(this.elections.get("role-0").isLeader()).as("no new calls").isFalse();
		assertThat(first.isValid()).as("the running call may end").isTrue();
		assertThat(this.released).hasSize(1);
		first.close();
		assertThat(this.released).extracting(LeaseKey::role).containsExactly("role-1", "role-0");
	}

	private void rebalance() {
		this.rebalancer.rebalance(this.elections.values(), this.time.now());
	}

	private void freeAll() {
		this.released
			.forEach((lease) -> this.elections.get(lease.role()).apply(new RoleInput.Released(lease.termId())));
	}

	private void lead(int roles) {
		for (int i = 0; i < roles; i++) {
			String role = "role-" + i;
			RoleElection election = new RoleElection(role, true, new Failures(0, TTL), Platform.of(this.time),
					new Releases());
			election.participation().join();
			this.elections.put(role, election);
			grant(election);
		}
		this.time.pass(TTL.multipliedBy(3));
	}

	private void grant(RoleElection election) {
		String termId = UUID.randomUUID().toString();
		election.apply(new RoleInput.Granted(new Leadership(election.role(), 1, termId, "me", Instant.EPOCH),
				new Deadline(this.time.now().plus(Duration.ofHours(1)))));
		election.apply(new RoleInput.GateOpened(termId));
	}

	/** Lists a member that competes for all roles. */
	private void list(String member, int priority, int times) {
		Map<String, Integer> roles = new HashMap<>();
		this.elections.keySet().forEach((role) -> roles.put(role, priority));
		this.listed.removeIf((entry) -> entry.card().member().id().equals(member));
		this.listed.add(new Roster.Entry(MemberCard.of(new Member(member, Map.of()), roles), "", times));
	}

	private final class Releases extends QuietEffects {

		@Override
		public void perform(RoleElection election, RoleEffect effect) {
			if (effect instanceof RoleEffect.Release release) {
				RebalancerTests.this.released.add(release.lease());
			}
		}

	}

}
