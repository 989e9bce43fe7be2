package io.leaderstarter.aop;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.leaderstarter.LeaderContext;
import io.leaderstarter.Leadership;

/**
 * Records the calls of a test. A separate bean, as a proxy does not have the fields of
 * its target.
 */
class Journal {

	private final List<Entry> entries = new CopyOnWriteArrayList<>();

	/**
	 * Record a call, with its terms and its thread.
	 */
	void note(String what) {
		this.entries.add(new Entry(what, LeaderContext.current().orElse(null),
				LeaderContext.terms().stream().map((term) -> term.leadership().role()).toList(),
				Thread.currentThread().getName()));
	}

	List<Entry> entries() {
		return this.entries;
	}

	List<String> notes() {
		return this.entries.stream().map(Entry::what).toList();
	}

	/**
	 * A recorded call.
	 *
	 * @param what its name
	 * @param term the innermost term, {@code null} if there was none
	 * @param roles the roles of all terms, the innermost first
	 * @param thread the name of the thread
	 */
	record Entry(String what, Leadership term, List<String> roles, String thread) {
	}

}
