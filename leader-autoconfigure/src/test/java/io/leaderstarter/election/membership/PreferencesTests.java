package io.leaderstarter.election.membership;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.leaderstarter.Member;
import io.leaderstarter.election.spi.Moment;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Preferences}.
 */
class PreferencesTests {

	private static final Duration TTL = Duration.ofSeconds(12);

	private static final Duration SECOND = Duration.ofSeconds(2);

	private static final Duration LAST = Duration.ofSeconds(4);

	private static final Moment VACANT = new Moment(1_000, 1_000);

	private Duration pollInterval = Duration.ofMillis(250);

	private final List<Roster.Entry> listed = new ArrayList<>();

	@Test
	void nobodyIsWaitedForIfNobodyIsKnown() {
		assertThat(wait(Placement.FIRST_COME, "me", 0)).isZero();
		assertThat(wait(Placement.SPREAD, "me", 0)).isZero();
	}

	@Test
	void whoeverAsksFirstIsAsGoodAsOthersOfTheSamePriority() {
		list("a", 0);
		list("b", -1);
		assertThat(wait(Placement.FIRST_COME, "me", 0)).isZero();
	}

	@Test
	void higherPriorityGoesFirstAndTheWaitIsLimited() {
		for (Placement placement : Placement.values()) {
			this.listed.clear();
			list("a", 1);
			assertThat(wait(placement, "me", 0)).isEqualTo(SECOND);
			list("b", 7);
			assertThat(wait(placement, "me", 0)).isEqualTo(LAST);
			list("c", 8);
			assertThat(wait(placement, "me", 0)).isEqualTo(LAST);
			assertThat(wait(placement, "me", 7)).isBetween(SECOND, LAST);
			assertThat(wait(placement, "me", 9)).isZero();
		}
	}

	@Test
	void waitIsCountedFromWhenTheRoleWasVacant() {
		list("a", 1);
		Preferences me = preferences(Placement.FIRST_COME, "me", 0);
		assertThat(me.untilOurTurn("role", null, VACANT, VACANT.plus(Duration.ofMillis(500))))
			.isEqualTo(Duration.ofMillis(1500));
		assertThat(me.untilOurTurn("role", null, VACANT, VACANT.plus(SECOND))).isZero();
		assertThat(me.untilOurTurn("role", null, VACANT, VACANT.plus(LAST))).isNegative();
	}

	@Test
	void secondGivesTheFirstTheTimeToLook() {
		list("a", 1);
		this.pollInterval = Duration.ofMillis(2400);
		assertThat(wait(Placement.FIRST_COME, "me", 0)).isEqualTo(Duration.ofSeconds(3));
		this.pollInterval = Duration.ofSeconds(5);
		assertThat(wait(Placement.FIRST_COME, "me", 0)).isEqualTo(LAST);
	}

	@Test
	void whoeverLedLastIsNotWaitedFor() {
		list("a", 5);
		Preferences me = preferences(Placement.SPREAD, "me", 0);
		assertThat(me.untilOurTurn("role", "a", VACANT, VACANT)).isZero();
		assertThat(me.untilOurTurn("role", "b", VACANT, VACANT)).isEqualTo(SECOND);
	}

	@Test
	void memberThatDoesNotStandForTheRoleIsNotWaitedFor() {
		Member other = new Member("a", Map.of());
		this.listed.add(new Roster.Entry(MemberCard.of(other, Map.of("another", 9)), "", 1));
		assertThat(wait(Placement.SPREAD, "me", 0)).isZero();
	}

	@Test
	void whatTheListSaysOfThisMemberDoesNotCount() {
		list("me", 9);
		assertThat(wait(Placement.SPREAD, "me", 0)).isZero();
	}

	@Test
	void oneIsFirstForEachRoleAndEachForItsShare() {
		List<String> members = List.of("a", "b", "c", "d");
		for (String member : members) {
			list(member, 0);
		}
		Map<String, Integer> first = new HashMap<>();
		for (int i = 0; i < 1000; i++) {
			Map<String, Duration> waits = new HashMap<>();
			for (String member : members) {
				waits.put(member,
						preferences(Placement.SPREAD, member, 0).untilOurTurn("role-" + i, null, VACANT, VACANT));
			}
			assertThat(waits.values()).containsExactlyInAnyOrder(Duration.ZERO, SECOND, LAST, LAST);
			waits.forEach((member, wait) -> first.merge(member, wait.isZero() ? 1 : 0, Integer::sum));
		}
		// Five times the deviation that chance makes.
		assertThat(first.values()).allSatisfy((count) -> assertThat(count).isBetween(250 - 68, 250 + 68));
	}

	private Duration wait(Placement placement, String member, int priority) {
		return preferences(placement, member, priority).untilOurTurn("role", null, VACANT, VACANT);
	}

	private Preferences preferences(Placement placement, String member, int priority) {
		return new Preferences(() -> this.listed, placement, (role) -> priority, member, TTL, () -> this.pollInterval);
	}

	/** Lists a member that competes for all roles of these tests. */
	private void list(String member, int priority) {
		Map<String, Integer> roles = new HashMap<>(Map.of("role", priority));
		for (int i = 0; i < 1000; i++) {
			roles.put("role-" + i, priority);
		}
		this.listed.add(new Roster.Entry(MemberCard.of(new Member(member, Map.of()), roles), "", 1));
	}

}
