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

	/**
	 * Returns whether the term is on its way out or over already: this member resigns, is
	 * paused or stops, or the term was lost. Calls may end their work as long as it is
	 * valid.
	 * @return whether no new work should begin
	 */
	boolean isEnding();

	/**
	 * Registers what is done if the term is lost before the call ends, or if the call
	 * takes longer to end than a member that leaves waits for it. Done at once if that is
	 * so already, never after the call has ended, and on another thread.
	 * @param action what to do
	 * @return ends the registration
	 */
	Registration onCancel(Runnable action);

}
