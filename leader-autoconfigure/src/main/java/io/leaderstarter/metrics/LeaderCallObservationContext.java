package io.leaderstarter.metrics;

import io.leaderstarter.Leadership;
import io.micrometer.observation.Observation;

/**
 * Context of the observation of a call that runs under a term, for conventions, handlers,
 * filters and predicates.
 *
 * @since 0.1.0
 * @see LeaderCallObservationConvention
 */
public final class LeaderCallObservationContext extends Observation.Context {

	private final Leadership leadership;

	private final Class<?> targetClass;

	private final String function;

	/**
	 * Create a new context.
	 * @param leadership the term that the call runs under
	 * @param targetClass the class of the function
	 * @param function the name of the function, usually that of a method
	 */
	public LeaderCallObservationContext(Leadership leadership, Class<?> targetClass, String function) {
		this.leadership = leadership;
		this.targetClass = targetClass;
		this.function = function;
	}

	/**
	 * Return the term that the call runs under, with its role and its epoch.
	 * @return the term
	 */
	public Leadership getLeadership() {
		return this.leadership;
	}

	/**
	 * Return the class of the function.
	 * @return the class, not that of its proxy
	 */
	public Class<?> getTargetClass() {
		return this.targetClass;
	}

	/**
	 * Return the name of the function.
	 * @return the name, usually that of a method
	 */
	public String getFunction() {
		return this.function;
	}

}
