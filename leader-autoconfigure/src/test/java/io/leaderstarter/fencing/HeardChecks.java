package io.leaderstarter.fencing;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.leaderstarter.Leadership;

/**
 * What the listeners of a fence were told of its checks.
 */
public final class HeardChecks implements FenceListener {

	private final List<String> all = new CopyOnWriteArrayList<>();

	public static HeardChecks of(Fence fence) {
		HeardChecks heard = new HeardChecks();
		fence.addListener(heard);
		return heard;
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
