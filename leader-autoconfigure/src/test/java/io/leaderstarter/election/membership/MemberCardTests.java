package io.leaderstarter.election.membership;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.leaderstarter.Member;
import io.leaderstarter.election.spi.Presence;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link MemberCard}.
 */
class MemberCardTests {

	@Test
	void cardTellsMetadataRolesAndPriorities() {
		Member member = new Member("a", Map.of("zone", "eu-1", "strange = key\n", "é世\r\nroles.9=AAAAAAAAAAA"));
		MemberCard card = read(MemberCard.of(member, Map.of("invoices", 0, "reports", 7, "mail", -3)));
		assertThat(card.member()).isEqualTo(member);
		assertThat(card.hash()).isEqualTo(Rendezvous.hash("a"));
		assertThat(priority(card, "invoices")).isZero();
		assertThat(priority(card, "reports")).isEqualTo(7);
		assertThat(priority(card, "mail")).isEqualTo(-3);
		assertThat(priority(card, "other")).isNull();
	}

	@Test
	void equalCardsAreEqualTexts() {
		Map<String, Integer> one = new LinkedHashMap<>();
		Map<String, Integer> other = new LinkedHashMap<>();
		IntStream.range(0, 100).forEach((i) -> one.put("role-" + i, i % 3));
		IntStream.range(0, 100).forEach((i) -> other.put("role-" + (99 - i), (99 - i) % 3));
		assertThat(MemberCard.of(member("a"), one).write()).isEqualTo(MemberCard.of(member("a"), other).write());
		other.put("role-1", 5);
		assertThat(MemberCard.of(member("a"), one).write()).isNotEqualTo(MemberCard.of(member("a"), other).write());
	}

	@Test
	void tenThousandRolesTakeLittleHoweverLongTheirNames() {
		Map<String, Integer> roles = roles(10_000);
		String text = MemberCard.of(member("a"), roles).write();
		assertThat(text.length()).isLessThan(110_000);
		assertThat(text).matches("\\A\\p{ASCII}*\\z");
		MemberCard card = MemberCard.read(new Presence("a", text));
		assertThat(roles.keySet()).allMatch((role) -> priority(card, role) != null);
		assertThat(priority(card, "r".repeat(100) + "10000")).isNull();
	}

	@Test
	void whatIsTooMuchIsLeftOut() {
		Map<String, String> metadata = IntStream.range(0, 100)
			.boxed()
			.collect(Collectors.toMap((i) -> "世".repeat(1000) + i, (i) -> "世".repeat(1000)));
		Map<String, Integer> roles = new LinkedHashMap<>(roles(40_000));
		// Each with a priority of its own, which takes the most room.
		roles.replaceAll((role, priority) -> role.hashCode());
		String text = MemberCard.of(new Member("a", metadata), roles).write();
		assertThat(text.length()).isLessThanOrEqualTo(Presence.LONGEST_TEXT);
		assertThat(MemberCard.read(new Presence("a", text)).member().metadata()).isNotEmpty()
			.allSatisfy((key, value) -> assertThat(key.length() + value.length()).isLessThanOrEqualTo(320));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "\n\n", "nonsense", "=", "metadata.=", "metadata.%zz=1", "metadata.a=%", "roles.=",
			"roles.x=AAAAAAAAAAA", "roles.1=not base64!", "roles.1=AAAA", "roles.99999999999=AAAAAAAAAAA",
			"\u0000\uffff\ud800" })
	void whatNoMemberHasWrittenIsNoRole(String text) {
		MemberCard card = MemberCard.read(new Presence("a", text));
		assertThat(card.member().id()).isEqualTo("a");
		assertThat(priority(card, "invoices")).isNull();
	}

	@Test
	void oneBadLineDoesNotHideTheOthers() {
		String text = MemberCard.of(member("a"), Map.of("invoices", 1)).write();
		MemberCard card = MemberCard.read(new Presence("a", "roles.x=1\n" + text + "metadata.%zz=1"));
		assertThat(priority(card, "invoices")).isOne();
	}

	@Test
	void strangersMetadataIsLimited() {
		StringBuilder text = new StringBuilder();
		IntStream.range(0, 5000).forEach((i) -> text.append("metadata.").append(i).append("=x\n"));
		text.insert(0, "metadata.%s=%s\n".formatted("k".repeat(9000), "v".repeat(9000)));
		Map<String, String> metadata = MemberCard.read(new Presence("a", text.toString())).member().metadata();
		assertThat(metadata).hasSize(32).containsEntry("k".repeat(64), "v".repeat(256));
	}

	@Test
	void memberThatCannotBeIsNone() {
		assertThat(MemberCard.read(new Presence(" ", ""))).isNull();
		assertThat(MemberCard.read(new Presence("x".repeat(Member.MAX_ID_LENGTH + 1), ""))).isNull();
		assertThat(MemberCard.read(new Presence("a", "x".repeat(Presence.LONGEST_TEXT + 1)))).isNull();
	}

	private static Map<String, Integer> roles(int count) {
		return IntStream.range(0, count).boxed().collect(Collectors.toMap((i) -> "r".repeat(100) + i, (i) -> 0));
	}

	private static Integer priority(MemberCard card, String role) {
		return card.priority(Rendezvous.hash(role));
	}

	private static MemberCard read(MemberCard card) {
		return MemberCard.read(new Presence(card.member().id(), card.write()));
	}

	private static Member member(String id) {
		return new Member(id, Map.of());
	}

}
