package io.leaderstarter.backend.zookeeper;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Chunks}.
 */
class ChunksTests {

	private static final int HALF = Chunks.MOST_BYTES / 2;

	@Test
	void whatFitsGoesTogetherInItsOrder() {
		assertThat(Chunks.of(List.of(HALF, HALF), Integer::intValue)).containsExactly(List.of(HALF, HALF));
		assertThat(Chunks.of(List.of(HALF, HALF, 1, HALF, HALF), Integer::intValue))
			.containsExactly(List.of(HALF, HALF), List.of(1, HALF), List.of(HALF));
	}

	@Test
	void whatIsTooBigGoesAlone() {
		int huge = 3 * HALF;
		assertThat(Chunks.of(List.of(1, huge, 2, 3), Integer::intValue)).containsExactly(List.of(1), List.of(huge),
				List.of(2, 3));
	}

	@Test
	void nothingIsNoChunk() {
		assertThat(Chunks.of(List.<Integer>of(), Integer::intValue)).isEmpty();
	}

}
