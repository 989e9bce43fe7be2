package io.leaderstarter.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/**
 * What happened in a schedule, and when. Kept only if somebody wants to read it: a
 * schedule can be run again.
 */
final class History {

	private final Scheduler scheduler;

	private final boolean kept;

	private final List<String> lines = new ArrayList<>();

	History(Scheduler scheduler, boolean kept) {
		this.scheduler = scheduler;
		this.kept = kept;
	}

	void add(Object who, Supplier<String> what) {
		if (this.kept) {
			this.lines
				.add(String.format(Locale.ROOT, "%12.6f s  %-8s %s", this.scheduler.now() / 1e9, who, what.get()));
		}
	}

	List<String> lines() {
		return this.lines;
	}

}
