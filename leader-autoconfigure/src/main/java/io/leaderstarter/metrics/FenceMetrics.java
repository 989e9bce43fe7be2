package io.leaderstarter.metrics;

import java.time.Duration;

import io.leaderstarter.Leadership;
import io.leaderstarter.fencing.FenceListener;
import io.leaderstarter.fencing.Fences;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;

/**
 * Binds the meters of the fences.
 *
 * @since 0.1.0
 */
public class FenceMetrics implements MeterBinder {

	private final Fences fences;

	/**
	 * Makes the binder.
	 * @param fences what is measured
	 */
	public FenceMetrics(Fences fences) {
		this.fences = fences;
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		this.fences.all().forEach((fence) -> fence.addListener(new Meters(registry, fence.name())));
	}

	private static final class Meters implements FenceListener {

		private final MeterRegistry registry;

		private final Timer checks;

		private Meters(MeterRegistry registry, String database) {
			this.registry = registry;
			this.checks = Timer.builder("leader.fence.checks")
				.description("Checks of terms before a commit that took a statement of their own")
				.tag("database", database)
				.register(registry);
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
		public void onCheck(String database, Duration took) {
			this.checks.record(took);
		}

		@Override
		public void onRefusal(String database, Leadership leadership) {
			Counter.builder("leader.fence.refusals")
				.description("Writes that were refused, as their term is over")
				.tag("database", database)
				.tag("role", leadership.role())
				.register(this.registry)
				.increment();
		}

	}

}
