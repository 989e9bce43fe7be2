package io.leaderstarter.election;

import io.leaderstarter.election.spi.TermGate;
import io.leaderstarter.election.spi.TimeSource;
import io.leaderstarter.election.state.LeaseTiming;

/**
 * What outlives the single start of the elections.
 *
 * @param settings how this member takes part
 * @param time the clocks
 * @param gate what comes before a term begins
 * @param roles the roles of this member
 * @param monitor observes how the store answers
 * @param dispatcher runs what may block
 */
record ElectionContext(ElectionSettings settings, TimeSource time, TermGate gate, Roles roles, StoreMonitor monitor,
		Dispatcher dispatcher) {

	LeaseTiming timing() {
		return this.settings.timing();
	}

}
