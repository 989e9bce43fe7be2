package io.leaderstarter.election;

/**
 * How a member takes part in the election for one role.
 *
 * @param candidate whether it may lead the role
 * @param priority the candidate with the highest priority comes first
 * @param yieldAfterFailures after how many failures of its work in a row it gives the
 * role up; zero for never
 * @since 0.1.0
 */
public record RoleSettings(boolean candidate, int priority, int yieldAfterFailures) {

	/** A candidate like any other, which gives no role up because its work fails. */
	public static final RoleSettings DEFAULT = new RoleSettings(true, 0, 0);

}
