package io.leaderstarter.metrics;

import io.leaderstarter.ActiveTerm;
import io.leaderstarter.election.spi.CallObserver;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * Adds the role and the epoch to the MDC while a call runs under a term.
 *
 * @since 0.1.0
 */
public class CallMdc implements CallObserver {

	/** The key of the role. */
	public static final String ROLE = "leader.role";

	/** The key of the epoch. */
	public static final String EPOCH = "leader.epoch";

	@Override
	public Observed onBegin(ActiveTerm term, Class<?> type, String function) {
		String outerRole = MDC.get(ROLE);
		String outerEpoch = MDC.get(EPOCH);
		MDC.put(ROLE, term.leadership().role());
		MDC.put(EPOCH, Long.toString(term.leadership().epoch()));
		return new Observed() {

			@Override
			public void onReturn() {
				restore(ROLE, outerRole);
				restore(EPOCH, outerEpoch);
			}

		};
	}

	private static void restore(String key, @Nullable String outer) {
		if (outer != null) {
			MDC.put(key, outer);
		}
		else {
			MDC.remove(key);
		}
	}

}
