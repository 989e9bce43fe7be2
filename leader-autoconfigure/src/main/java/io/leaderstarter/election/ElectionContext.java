package io.leaderstarter.election;

import java.time.Duration;

import io.leaderstarter.election.spi.Platform;
import io.leaderstarter.election.spi.TermGate;
import io.leaderstarter.election.spi.TimeSource;
import io.leaderstarter.election.state.LeaseTiming;

/**
 * What outlives the single start of the elections.
 *
 * @param settings how this member takes part
 * @param platform clocks, threads and random numbers
 * @param gate what comes before a term begins
 * @param roles the roles of this member
 * @param monitor observes how the store answers
 * @param dispatcher runs what may block
 */
record ElectionContext(ElectionSettings settings, Platform platform, TermGate gate, Roles roles, StoreMonitor monitor,
		Dispatcher dispatcher) {

	LeaseTiming timing() {
		return this.settings.timing();
	}

	TimeSource time() {
		return this.platform.time();
	}

	/**
	 * Return a random time near another one, so that members do not all do the same at
	 * the same moment.
	 * @param base the other time
	 * @param least the least share of it
	 * @param most the greatest share of it
	 */
	Duration jitter(Duration base, double least, double most) {
		double share = least + (most - least) * this.platform.random();
		return Duration.ofNanos((long) (base.toNanos() * share));
	}

}
