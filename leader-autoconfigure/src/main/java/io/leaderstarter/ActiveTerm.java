package io.leaderstarter;

/**
 * A term as the calls that run under it see it.
 *
 * @since 0.1.0
 */
public interface ActiveTerm {

	/**
	 * Returns what the term is.
	 * @return the term
	 */
	Leadership leadership();

	/**
	 * Returns whether the term still lasts, by both of this member's clocks. A member
	 * that is leaving a role still has a valid term until its calls have ended.
	 * @return whether the term still lasts
	 */
	boolean isValid();

}
