package io.leaderstarter.backend.etcd;

import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Chunks}.
 */
class ChunksTests {

	@Test
	void itemsAreSplitInTheirOrder() {
		List<Integer> items = IntStream.range(0, 2 * Chunks.MOST + 1).boxed().toList();
		List<List<Integer>> chunks = Chunks.of(items);
		assertThat(chunks).extracting(List::size).containsExactly(Chunks.MOST, Chunks.MOST, 1);
		assertThat(chunks.stream().flatMap(List::stream)).containsExactlyElementsOf(items);
	}

	@Test
	void fullChunkIsFollowedByNone() {
		assertThat(Chunks.of(IntStream.range(0, Chunks.MOST).boxed().toList())).hasSize(1);
		assertThat(Chunks.of(List.of())).isEmpty();
	}

}
