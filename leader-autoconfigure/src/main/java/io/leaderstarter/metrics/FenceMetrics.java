package io.leaderstarter.metrics;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.leaderstarter.Leadership;
import io.leaderstarter.fencing.FenceListener;
import io.leaderstarter.fencing.Fences;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;

/**
 * {@link MeterBinder} for fences.
 *
 * @since 0.1.0
 */
public class FenceMetrics implements MeterBinder {

	private final Fences fences;

	/**
	 * Create a new binder.
	 * @param fences the fences
	 */
	public FenceMetrics(Fences fences) {
		this.fences = fences;
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		this.fences.all().forEach((fence) -> fence.addListener(new Meters(registry)));
	}

	private static final class Meters implements FenceListener {

		private final MeterRegistry registry;

		/** A cache, as every transaction is checked. */
		private final Map<Trip, Timer> checks = new ConcurrentHashMap<>();

		private Meters(MeterRegistry registry) {
			this.registry = registry;
		}

		@Override
		public void onRaise(String database, Leadership leadership, Duration took, boolean raised) {
			Timer.builder("leader.fence.raises")
				.description("Raises of fences before terms begin")
				.tag("database", database)
				.tag("outcome", raised ? "raised" : "failed")
				.register(this.registry)
				.record(took);
		}

		@Override
		public void onCheck(String database, Trip trip, Duration took) {
			this.checks.computeIfAbsent(trip, (key) -> timer(database, key)).record(took);
		}

		private Timer timer(String database, Trip trip) {
			return Timer.builder("leader.fence.checks")
				.description("Checks in the database, including statements in the same round trip")
				.tag("database", database)
				.tag("trip", trip.name().toLowerCase(Locale.ROOT))
				.register(this.registry);
		}

		@Override
		public void onRefusal(String database, Leadership leadership, Refuser by) {
			Counter.builder("leader.fence.refusals")
				.description("Writes refused because their term is over")
				.tag("database", database)
				.tag("role", leadership.role())
				.tag("by", by.name().toLowerCase(Locale.ROOT))
				.register(this.registry)
				.increment();
		}

	}

}
