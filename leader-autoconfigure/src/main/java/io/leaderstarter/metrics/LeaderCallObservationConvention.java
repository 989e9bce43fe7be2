package io.leaderstarter.metrics;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * Names and key values of the observations of calls that run under a term. A bean of this
 * type is used instead of the default; methods that it does not override return the
 * default values.
 *
 * @since 0.1.0
 */
public interface LeaderCallObservationConvention extends ObservationConvention<LeaderCallObservationContext> {

	@Override
	default boolean supportsContext(Observation.Context context) {
		return context instanceof LeaderCallObservationContext;
	}

	@Override
	default String getName() {
		return "leader.execution";
	}

	@Override
	default String getContextualName(LeaderCallObservationContext context) {
		return "leader " + context.getLeadership().role();
	}

	@Override
	default KeyValues getLowCardinalityKeyValues(LeaderCallObservationContext context) {
		return KeyValues.of("role", context.getLeadership().role(), "code.function", context.getFunction(),
				"code.namespace", context.getTargetClass().getName());
	}

	/** The epoch is for spans only: a meter would get a new series with each term. */
	@Override
	default KeyValues getHighCardinalityKeyValues(LeaderCallObservationContext context) {
		return KeyValues.of("leader.epoch", Long.toString(context.getLeadership().epoch()));
	}

}
