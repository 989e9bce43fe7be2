package io.leaderstarter.metrics;

import java.lang.reflect.Method;

import io.leaderstarter.ActiveTerm;
import io.leaderstarter.Leadership;
import io.leaderstarter.election.spi.CallObserver;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;

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
	public Observed onBegin(ActiveTerm term, Method method) {
		Leadership leadership = term.leadership();
		Observation observation = Observation.createNotStarted("leader.execution", this.registry)
			.contextualName("leader " + leadership.role())
			.lowCardinalityKeyValue("role", leadership.role())
			.lowCardinalityKeyValue("code.function", method.getName())
			.lowCardinalityKeyValue("code.namespace", method.getDeclaringClass().getName())
			.highCardinalityKeyValue("leader.epoch", Long.toString(leadership.epoch()))
			.start();
		Observation.Scope scope = observation.openScope();
		return (failure) -> {
			scope.close();
			if (failure != null) {
				observation.error(failure);
			}
			observation.stop();
		};
	}

}
