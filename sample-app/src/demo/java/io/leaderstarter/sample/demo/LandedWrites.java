package io.leaderstarter.sample.demo;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Judges what is in the database. A write is stale if its epoch is lower than one that an
 * earlier poll has found: then a node wrote after its successor.
 */
final class LandedWrites {

	private final Map<String, Long> highest = new HashMap<>();

	private long landed;

	private long stale;

	/**
	 * Judge what a poll has found that was not there before.
	 * @param found all writes, in any order
	 * @return writes of the same term together
	 */
	synchronized List<Batch> judge(List<Write> found) {
		Map<Write, Integer> counts = new LinkedHashMap<>();
		found.forEach((write) -> counts.merge(write, 1, Integer::sum));
		List<Batch> batches = new ArrayList<>();
		counts.forEach((write, count) -> {
			boolean late = write.epoch() < this.highest.getOrDefault(write.role(), 0L);
			this.landed += count;
			this.stale += late ? count : 0;
			batches.add(new Batch(write, count, late));
		});
		// After all were judged, as one poll does not show in which order they came.
		counts.keySet().forEach((write) -> this.highest.merge(write.role(), write.epoch(), Math::max));
		return batches;
	}

	synchronized long landed() {
		return this.landed;
	}

	synchronized long stale() {
		return this.stale;
	}

	/**
	 * One row that was written.
	 *
	 * @param role for which role
	 * @param epoch under which epoch
	 */
	record Write(String role, long epoch) {
	}

	/**
	 * Rows of one term.
	 *
	 * @param write what they have in common
	 * @param count how many there are
	 * @param stale whether they are stale
	 */
	record Batch(Write write, int count, boolean stale) {
	}

}
