package io.leaderstarter.fencing;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.leaderstarter.Leadership;

/**
 * Records the checks of a fence.
 */
public final class RecordedChecks implements FenceListener {

	private final List<String> all = new CopyOnWriteArrayList<>();

	public static RecordedChecks of(Fence fence) {
		RecordedChecks recorded = new RecordedChecks();
		fence.addListener(recorded);
		return recorded;
	}

	/** Return all checks since the last call. */
	public List<String> next() {
		List<String> next = List.copyOf(this.all);
		this.all.clear();
		return next;
	}

	@Override
	public void onCheck(String database, Trip trip, Duration took) {
		this.all.add("checked, trip " + trip + (took.isZero() || took.isNegative() ? ", took no time" : ""));
	}

	@Override
	public void onRefusal(String database, Leadership leadership, Refuser by) {
		this.all.add("refused epoch %d by %s".formatted(leadership.epoch(), by));
	}

}
