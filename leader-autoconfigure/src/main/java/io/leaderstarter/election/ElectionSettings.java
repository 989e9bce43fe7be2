package io.leaderstarter.election;

import java.time.Duration;
import java.util.function.Function;

import io.leaderstarter.election.membership.Placement;
import io.leaderstarter.election.state.LeaseTiming;

/**
 * How a member takes part in elections.
 *
 * @param timing the times of a lease
 * @param drainTimeout how long the calls of a term may run on when the member leaves
 * @param placement who comes first of the candidates with the same priority
 * @param roles returns the settings of a role
 * @since 0.1.0
 */
public record ElectionSettings(LeaseTiming timing, Duration drainTimeout, Placement placement,
		Function<String, RoleSettings> roles) {

	/**
	 * Create settings of a member that is a candidate for all roles and comes neither
	 * before nor after others.
	 * @param timing the times of a lease
	 * @param drainTimeout how long the calls of a term may run on when the member leaves
	 */
	public ElectionSettings(LeaseTiming timing, Duration drainTimeout) {
		this(timing, drainTimeout, Placement.FIRST_COME, (role) -> RoleSettings.DEFAULT);
	}

	RoleSettings of(String role) {
		return this.roles.apply(role);
	}

}
