package io.leaderstarter.backend.zookeeper;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.ToIntFunction;

/**
 * Splits what is too big for one request. Servers and clients drop the connection if a
 * message is longer than 1 MB, unless they are told otherwise.
 */
final class Chunks {

	static final int MOST_BYTES = 512 * 1024;

	private Chunks() {
	}

	static <T> List<List<T>> of(Collection<T> items, ToIntFunction<T> bytes) {
		List<List<T>> chunks = new ArrayList<>();
		List<T> chunk = new ArrayList<>();
		int size = 0;
		for (T item : items) {
			int more = bytes.applyAsInt(item);
			if (!chunk.isEmpty() && size + more > MOST_BYTES) {
				chunks.add(chunk);
				chunk = new ArrayList<>();
				size = 0;
			}
			chunk.add(item);
			size += more;
		}
		if (!chunk.isEmpty()) {
			chunks.add(chunk);
		}
		return chunks;
	}

}
