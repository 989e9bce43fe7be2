package io.leaderstarter.election.membership;

/**
 * Which of the candidates with the highest priority should rather lead a role. It is a
 * preference and no rule: a member that is not preferred waits for a while, and leads if
 * no member else does.
 *
 * @since 0.1.0
 */
public enum Placement {

	/** The candidate that asks first. A leader keeps its roles as long as it can. */
	FIRST_COME,

	/**
	 * Each has its share of the roles. A leader hands roles over to members that come, a
	 * few at a time.
	 */
	SPREAD

}
