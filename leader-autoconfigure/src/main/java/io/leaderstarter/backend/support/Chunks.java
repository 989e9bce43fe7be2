package io.leaderstarter.backend.support;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.ToIntFunction;

/**
 * Splits items into several requests.
 * <p>
 * Internal: not for applications.
 *
 * @since 0.1.0
 */
public final class Chunks {

	private Chunks() {
	}

	/**
	 * Split by number.
	 * @param <T> the type of the items
	 * @param items what to split
	 * @param most the most items of a chunk
	 * @return the items in their order, in mutable lists
	 */
	public static <T> List<List<T>> of(Collection<T> items, int most) {
		return of(items, most, (item) -> 1);
	}

	/**
	 * Split by size. An item that is larger than a chunk is put into a separate one.
	 * @param <T> the type of the items
	 * @param items what to split
	 * @param most the greatest size of a chunk
	 * @param size the size of an item
	 * @return the items in their order, in mutable lists
	 */
	public static <T> List<List<T>> of(Collection<T> items, int most, ToIntFunction<T> size) {
		List<List<T>> chunks = new ArrayList<>();
		List<T> chunk = List.of();
		int used = 0;
		for (T item : items) {
			int next = size.applyAsInt(item);
			if (chunk.isEmpty() || used + next > most) {
				chunk = new ArrayList<>();
				chunks.add(chunk);
				used = 0;
			}
			chunk.add(item);
			used += next;
		}
		return chunks;
	}

}
