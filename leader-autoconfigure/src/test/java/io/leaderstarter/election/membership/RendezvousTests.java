package io.leaderstarter.election.membership;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/**
 * Tests for {@link Rendezvous}.
 */
class RendezvousTests {

	private static final int ROLES = 10_000;

	/** Members of different versions have to agree, so these never change. */
	@Test
	void numbersAreThoseOfEveryVersion() {
		assertThat(Rendezvous.hash("")).isEqualTo(0xf52a15e9a9b5e89bL);
		assertThat(Rendezvous.hash("invoices")).isEqualTo(0xde967a3998f97b42L);
		assertThat(Rendezvous.weigh(Rendezvous.hash("invoices"), Rendezvous.hash("a"))).isEqualTo(0xee2d126223b04094L);
	}

	@ParameterizedTest
	@CsvSource({ "2, role-%d, node-%d", "3, %d, %d", "10, tenant-%d.invoices, 10.0.0.%d",
			"3, a%d, billing-%d-1816108a" })
	void rolesAreSpreadEvenlyAndInEachPlaceOfTheOrder(int members, String role, String member) {
		List<String> ids = IntStream.range(0, members).mapToObj(member::formatted).toList();
		int[][] counts = new int[members][members];
		for (int i = 0; i < ROLES; i++) {
			List<String> order = order(role.formatted(i), ids);
			for (int place = 0; place < members; place++) {
				counts[place][ids.indexOf(order.get(place))]++;
			}
		}
		// Five times the deviation that chance makes.
		double share = 1.0 / members;
		double tolerance = 5 * Math.sqrt(ROLES * share * (1 - share));
		for (int[] place : counts) {
			for (int count : place) {
				assertThat((double) count).isCloseTo(ROLES * share, within(tolerance));
			}
		}
	}

	@Test
	void memberThatComesTakesItsShareAndNothingElseMoves() {
		List<String> three = List.of("a", "b", "c");
		List<String> four = List.of("a", "b", "c", "d");
		int moved = 0;
		for (int i = 0; i < ROLES; i++) {
			String before = order("role-" + i, three).get(0);
			String after = order("role-" + i, four).get(0);
			if (!before.equals(after)) {
				assertThat(after).isEqualTo("d");
				moved++;
			}
		}
		assertThat(moved).isBetween(ROLES / 4 - 220, ROLES / 4 + 220);
	}

	@Test
	void similarNamesHaveDifferentHashes() {
		Set<Long> hashes = new HashSet<>();
		Set<Long> low = new HashSet<>();
		for (int i = 0; i < 100_000; i++) {
			long hash = Rendezvous.hash("role-" + i);
			hashes.add(hash);
			low.add(hash & 0xffffffL);
		}
		assertThat(hashes).hasSize(100_000);
		// Of 100,000 in 16.7 million places some 300 share one by chance.
		assertThat(low).hasSizeGreaterThan(99_500);
	}

	private static List<String> order(String role, List<String> members) {
		long hash = Rendezvous.hash(role);
		List<String> order = new ArrayList<>(members);
		order.sort(Comparator.comparing((member) -> Rendezvous.weigh(hash, Rendezvous.hash(member))));
		return order;
	}

}
