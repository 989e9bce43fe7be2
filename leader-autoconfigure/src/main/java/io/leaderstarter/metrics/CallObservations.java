package io.leaderstarter.metrics;

import io.leaderstarter.ActiveTerm;
import io.leaderstarter.election.spi.CallObserver;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

/**
 * Creates an observation of every call that runs under a term: a timer, and a span where
 * tracing is set up. Names and key values are those of a
 * {@link LeaderCallObservationConvention}.
 *
 * @since 0.1.0
 */
public class CallObservations implements CallObserver {

	private static final LeaderCallObservationConvention DEFAULT = new LeaderCallObservationConvention() {
	};

	private final ObservationRegistry registry;

	private final @Nullable LeaderCallObservationConvention convention;

	/**
	 * Create a new observer.
	 * @param registry where observations go
	 * @param convention names and key values of observations, {@code null} for a global
	 * convention of the registry, or the default
	 */
	public CallObservations(ObservationRegistry registry, @Nullable LeaderCallObservationConvention convention) {
		this.registry = registry;
		this.convention = convention;
	}

	@Override
	public Observed onBegin(ActiveTerm term, Class<?> type, String function) {
		Observation observation = Observation.start(this.convention, DEFAULT,
				() -> new LeaderCallObservationContext(term.leadership(), type, function), this.registry);
		Observation.Scope scope = observation.openScope();
		return new Observed() {

			@Override
			public void onReturn() {
				scope.close();
			}

			@Override
			public void onEnd(@Nullable Throwable failure) {
				if (failure != null) {
					observation.error(failure);
				}
				observation.stop();
			}

		};
	}

}
