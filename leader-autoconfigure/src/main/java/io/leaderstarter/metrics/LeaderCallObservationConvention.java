package io.leaderstarter.metrics;

import io.leaderstarter.metrics.LeaderCallObservationDocumentation.HighCardinalityKeyNames;
import io.leaderstarter.metrics.LeaderCallObservationDocumentation.LowCardinalityKeyNames;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * Names and key values of the observations of calls that run under a term. A bean of this
 * type is used instead of the default. What it does not override stays as it is by
 * default.
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
		return KeyValues.of(LowCardinalityKeyNames.ROLE.withValue(context.getLeadership().role()),
				LowCardinalityKeyNames.CODE_FUNCTION.withValue(context.getFunction()),
				LowCardinalityKeyNames.CODE_NAMESPACE.withValue(context.getTargetClass().getName()));
	}

	/** The epoch is for spans only: a meter would get a new series with each term. */
	@Override
	default KeyValues getHighCardinalityKeyValues(LeaderCallObservationContext context) {
		return KeyValues
			.of(HighCardinalityKeyNames.LEADER_EPOCH.withValue(Long.toString(context.getLeadership().epoch())));
	}

}
