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
		Function<String, Role> roles) {

	/**
	 * Create settings of a member that is a candidate for all roles and comes neither
	 * before nor after others.
	 * @param timing the times of a lease
	 * @param drainTimeout how long the calls of a term may run on when the member leaves
	 */
	public ElectionSettings(LeaseTiming timing, Duration drainTimeout) {
		this(timing, drainTimeout, Placement.FIRST_COME, (role) -> Role.DEFAULT);
	}

	Role of(String role) {
		return this.roles.apply(role);
	}

	/**
	 * How a member takes part in the election for one role.
	 *
	 * @param candidate whether it may lead the role
	 * @param priority the candidate with the highest priority comes first
	 * @param yieldAfterFailures after how many failures of its work in a row it gives the
	 * role up; zero for never
	 */
	public record Role(boolean candidate, int priority, int yieldAfterFailures) {

		/** A candidate like any other, which gives no role up because its work fails. */
		public static final Role DEFAULT = new Role(true, 0, 0);

	}

}
