package io.leaderstarter.backend.etcd;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Splits what is too much for one request. Servers take 128 operations and 1.5 MB, unless
 * they are told otherwise, and with the longest names an operation takes some 5 kB.
 */
final class Chunks {

	static final int MOST = 100;

	private Chunks() {
	}

	static <T> List<List<T>> of(Collection<T> items) {
		List<T> all = List.copyOf(items);
		List<List<T>> chunks = new ArrayList<>();
		for (int from = 0; from < all.size(); from += MOST) {
			chunks.add(all.subList(from, Math.min(all.size(), from + MOST)));
		}
		return chunks;
	}

}
