package io.leaderstarter.backend.support;

import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Chunks}.
 */
class ChunksTests {

	private static final int MOST = 100;

	private static final int HALF = MOST / 2;

	@Test
	void itemsAreSplitInTheirOrder() {
		List<Integer> items = IntStream.range(0, 2 * MOST + 1).boxed().toList();
		List<List<Integer>> chunks = Chunks.of(items, MOST);
		assertThat(chunks).extracting(List::size).containsExactly(MOST, MOST, 1);
		assertThat(chunks.stream().flatMap(List::stream)).containsExactlyElementsOf(items);
	}

	@Test
	void noChunkComesAfterAFullLastOne() {
		assertThat(Chunks.of(IntStream.range(0, MOST).boxed().toList(), MOST)).hasSize(1);
		assertThat(Chunks.of(List.of(), MOST)).isEmpty();
	}

	@Test
	void whatFitsGoesTogetherInItsOrder() {
		assertThat(Chunks.of(List.of(HALF, HALF), MOST, Integer::intValue)).containsExactly(List.of(HALF, HALF));
		assertThat(Chunks.of(List.of(HALF, HALF, 1, HALF, HALF), MOST, Integer::intValue))
			.containsExactly(List.of(HALF, HALF), List.of(1, HALF), List.of(HALF));
	}

	@Test
	void whatIsTooBigGoesAlone() {
		int huge = 3 * HALF;
		assertThat(Chunks.of(List.of(1, huge, 2, 3), MOST, Integer::intValue)).containsExactly(List.of(1),
				List.of(huge), List.of(2, 3));
	}

	@Test
	void nothingIsNoChunk() {
		assertThat(Chunks.of(List.<Integer>of(), MOST, Integer::intValue)).isEmpty();
	}

	/** A request that fails because of one item is sent again without it. */
	@Test
	void itemsCanBeTakenOutOfAChunk() {
		List<Integer> chunk = Chunks.of(List.of(1, 2, 3), MOST).get(0);
		chunk.remove(1);
		assertThat(chunk).containsExactly(1, 3);
	}

}
