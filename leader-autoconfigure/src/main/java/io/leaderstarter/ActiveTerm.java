package io.leaderstarter;

/**
 * A term as the calls that run under it see it.
 *
 * @since 0.1.0
 */
public interface ActiveTerm {

	/**
	 * Return the identity of the term.
	 * @return the term
	 */
	Leadership leadership();

	/**
	 * Return whether the term still lasts, by both of this member's clocks. A member that
	 * is leaving a role still has a valid term until its calls have ended.
	 * @return whether the term still lasts
	 */
	boolean isValid();

	/**
	 * Return whether the term is ending or over already: this member resigns, is paused
	 * or stops, or the term was lost. Calls may end their work as long as it is valid.
	 * @return whether no new work should begin
	 */
	boolean isEnding();

	/**
	 * Register an action for the case that the term is lost before the call ends, or if
	 * the call takes longer to end than the drain time-out. It is run on another thread,
	 * at once if that is so already, and never after the call has ended.
	 * @param action what to do
	 * @return ends the registration
	 */
	Registration onCancel(Runnable action);

}
