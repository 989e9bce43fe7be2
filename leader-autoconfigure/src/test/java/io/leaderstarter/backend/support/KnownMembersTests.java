package io.leaderstarter.backend.support;

import java.util.List;
import java.util.stream.IntStream;

import io.leaderstarter.backend.support.KnownMembers.Entry;
import io.leaderstarter.election.spi.Presence;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link KnownMembers}.
 */
class KnownMembersTests {

	private static final Entry A1 = new Entry("a@1", "a", 1);

	private static final Entry A2 = new Entry("a@2", "a", 2);

	private static final Entry B = new Entry("b@1", "b", 1);

	private final KnownMembers known = new KnownMembers();

	@Test
	void whatDidNotChangeIsNotReadAgain() {
		assertThat(this.known.changed(List.of(A1, B))).containsExactly(A1, B);
		this.known.read(A1, "one");
		this.known.read(B, "b");
		assertThat(this.known.changed(List.of(A2, B))).containsExactly(A2);
		this.known.read(A2, "two");
		assertThat(this.known.all()).containsExactly(new Presence("a", "two"), new Presence("b", "b"));
		assertThat(this.known.changed(List.of(A2, B))).isEmpty();
	}

	@Test
	void versionAloneIsAChange() {
		this.known.changed(List.of(B));
		this.known.read(B, "b");
		Entry later = new Entry(B.name(), B.member(), B.version() + 1);
		assertThat(this.known.changed(List.of(later))).containsExactly(later);
	}

	@Test
	void whatIsGoneIsForgotten() {
		this.known.changed(List.of(A1));
		this.known.read(A1, "one");
		assertThat(this.known.changed(List.of())).isEmpty();
		assertThat(this.known.all()).isEmpty();
		assertThat(this.known.changed(List.of(A1))).containsExactly(A1);
	}

	/** In the place of a session that was lost its successor may have one beside it. */
	@Test
	void laterOfTwoEntriesOfAMemberCounts() {
		this.known.changed(List.of(A2, A1));
		this.known.read(A1, "one");
		assertThat(this.known.all()).containsExactly(new Presence("a", "one"));
		this.known.read(A2, "two");
		assertThat(this.known.all()).containsExactly(new Presence("a", "two"));
	}

	@Test
	void whatIsTooLongIsLeftOut() {
		this.known.changed(List.of(A1, B));
		this.known.read(A1, "x".repeat(Presence.LONGEST_TEXT + 1));
		this.known.read(B, "x".repeat(Presence.LONGEST_TEXT));
		assertThat(this.known.all()).extracting(Presence::member).containsExactly("b");
	}

	@Test
	void moreMembersThanAClusterHasAreLeftOut() {
		List<Entry> many = IntStream.range(0, KnownMembers.MOST + 1)
			.mapToObj((i) -> new Entry("n" + i, "n" + i, 1))
			.toList();
		assertThat(this.known.changed(many)).hasSize(KnownMembers.MOST).doesNotContain(many.get(KnownMembers.MOST));
		many.forEach((entry) -> this.known.read(entry, "x"));
		assertThat(this.known.all()).hasSize(KnownMembers.MOST);
	}

}
