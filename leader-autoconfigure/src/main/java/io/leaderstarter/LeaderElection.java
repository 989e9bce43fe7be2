package io.leaderstarter;

import java.time.Duration;
import java.util.Optional;

/**
 * The election for one role, as this member takes part in it.
 *
 * @since 0.1.0
 */
public interface LeaderElection {

	/**
	 * Returns the role that is elected for.
	 * @return the role
	 */
	String role();

	/**
	 * Returns whether this member may begin work of the role now. Cheap enough to ask
	 * before every step: two clocks are read, nothing is locked, allocated or sent.
	 * <p>
	 * It is false as soon as the lease may have run out, even if nobody noticed yet. A
	 * process can be paused right after the answer, so what must not happen twice has to
	 * be fenced by the epoch as well.
	 * @return whether this member leads
	 */
	boolean isLeader();

	/**
	 * Returns this member's present term.
	 * @return the term, empty if this member does not lead
	 */
	Optional<Leadership> leadership();

	/**
	 * Waits until this member leads, and lets it stand for the role meanwhile even before
	 * the application is ready. A member that is no candidate, or that is paused, only
	 * waits.
	 * @param timeout how long to wait at most
	 * @return the term, empty if there was none in time or the application has stopped
	 * @throws InterruptedException if the thread is interrupted
	 */
	Optional<Leadership> await(Duration timeout) throws InterruptedException;

	/**
	 * Runs work like a {@link LeaderOnly} method if this member leads: under the epoch of
	 * the present term, fenced, and to its end before the role is given up.
	 * @param work what to do
	 * @return whether it was done
	 */
	boolean runIfLeader(Runnable work);

	/**
	 * Gives the role up: no new calls begin, running ones end, then another member may
	 * lead. This one does not stand again until others had the time of a lease for that.
	 * Returns at once.
	 */
	void resign();

	/**
	 * Gives the role up like {@link #resign()}, and does not stand for it again before
	 * {@link #resume()}.
	 */
	void pause();

	/**
	 * Stands for the role again. Does nothing if this member was not paused.
	 */
	void resume();

	/**
	 * Returns whether this member was told not to stand for the role for now.
	 * @return whether it was paused
	 */
	boolean isPaused();

	/**
	 * Registers a listener. It is first told of the present term, if there is one.
	 * @param listener what to call
	 * @return ends the registration
	 */
	Registration onChange(LeadershipListener listener);

}
