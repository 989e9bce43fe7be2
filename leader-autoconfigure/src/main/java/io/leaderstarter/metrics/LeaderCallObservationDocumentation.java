package io.leaderstarter.metrics;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/**
 * The {@link ObservationDocumentation documented} observation of calls that run under a
 * term.
 *
 * @since 0.1.0
 */
public enum LeaderCallObservationDocumentation implements ObservationDocumentation {

	/**
	 * A call of a {@code @LeaderOnly} method, or other work that runs under a term.
	 */
	LEADER_EXECUTION {

		@Override
		public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
			return DefaultLeaderCallObservationConvention.class;
		}

		@Override
		public KeyName[] getLowCardinalityKeyNames() {
			return LowCardinalityKeyNames.values();
		}

		@Override
		public KeyName[] getHighCardinalityKeyNames() {
			return HighCardinalityKeyNames.values();
		}

	};

	/**
	 * Key names with few values, for meters and spans.
	 */
	public enum LowCardinalityKeyNames implements KeyName {

		/**
		 * Role of the term.
		 */
		ROLE {

			@Override
			public String asString() {
				return "role";
			}

		},

		/**
		 * Name of what is called, that of a method in most cases.
		 */
		CODE_FUNCTION {

			@Override
			public String asString() {
				return "code.function";
			}

		},

		/**
		 * Name of the class that does the work.
		 */
		CODE_NAMESPACE {

			@Override
			public String asString() {
				return "code.namespace";
			}

		}

	}

	/**
	 * Key names with many values, for spans only.
	 */
	public enum HighCardinalityKeyNames implements KeyName {

		/**
		 * Epoch of the term.
		 */
		LEADER_EPOCH {

			@Override
			public String asString() {
				return "leader.epoch";
			}

		}

	}

}
