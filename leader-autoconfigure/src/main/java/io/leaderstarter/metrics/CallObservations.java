package io.leaderstarter.metrics;

import io.leaderstarter.ActiveTerm;
import io.leaderstarter.Leadership;
import io.leaderstarter.election.spi.CallObserver;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

/**
 * Makes an observation of every call that runs under a term: a timer, and a span where
 * tracing is set up. The epoch is on the span only, as it never comes again.
 *
 * @since 0.1.0
 */
public class CallObservations implements CallObserver {

	private final ObservationRegistry registry;

	/**
	 * Makes the observer.
	 * @param registry where observations go
	 */
	public CallObservations(ObservationRegistry registry) {
		this.registry = registry;
	}

	@Override
	public Observed onBegin(ActiveTerm term, Class<?> type, String function) {
		Leadership leadership = term.leadership();
		Observation observation = Observation.createNotStarted("leader.execution", this.registry)
			.contextualName("leader " + leadership.role())
			.lowCardinalityKeyValue("role", leadership.role())
			.lowCardinalityKeyValue("code.function", function)
			.lowCardinalityKeyValue("code.namespace", type.getName())
			.highCardinalityKeyValue("leader.epoch", Long.toString(leadership.epoch()))
			.start();
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
