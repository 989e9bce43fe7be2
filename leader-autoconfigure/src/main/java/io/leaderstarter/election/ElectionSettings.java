package io.leaderstarter.election;

import java.time.Duration;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;

import io.leaderstarter.election.membership.Placement;
import io.leaderstarter.election.state.Failures;
import io.leaderstarter.election.state.LeaseTiming;

/**
 * How a member takes part in elections.
 *
 * @param timing the times of a lease
 * @param drainTimeout how long the calls of a term may run on when the member leaves
 * @param candidate tells for which roles the member may stand
 * @param priority of the member for each role; who has a higher one comes first
 * @param placement who comes first of those with the same priority
 * @param yieldAfterFailures tells by role after how many failures of its work in a row
 * the member gives it up; zero for never
 * @since 0.1.0
 */
public record ElectionSettings(LeaseTiming timing, Duration drainTimeout, Predicate<String> candidate,
		ToIntFunction<String> priority, Placement placement, ToIntFunction<String> yieldAfterFailures) {

	/**
	 * Settings of a member that comes neither before nor after others, and gives up no
	 * role because its work fails.
	 * @param timing the times of a lease
	 * @param drainTimeout how long the calls of a term may run on when the member leaves
	 * @param candidate tells for which roles the member may stand
	 */
	public ElectionSettings(LeaseTiming timing, Duration drainTimeout, Predicate<String> candidate) {
		this(timing, drainTimeout, candidate, (role) -> 0, Placement.FIRST_COME, (role) -> 0);
	}

	Failures failures(String role) {
		return new Failures(this.yieldAfterFailures.applyAsInt(role), this.timing.ttl());
	}

}
