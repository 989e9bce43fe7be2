package io.leaderstarter.fencing;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.leaderstarter.Leadership;

/**
 * What the listeners of a fence were told of its checks.
 */
public final class RecordedChecks implements FenceListener {

	private final List<String> all = new CopyOnWriteArrayList<>();

	public static RecordedChecks of(Fence fence) {
		RecordedChecks recorded = new RecordedChecks();
		fence.addListener(recorded);
		return recorded;
	}

	/** All that was told since this was asked last. */
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
