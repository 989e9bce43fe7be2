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
	 * Return the role that is elected for.
	 * @return the role
	 */
	String role();

	/**
	 * Return whether this member may begin work of the role now. Cheap enough to ask
	 * before every step: two clocks are read, nothing is locked, allocated or sent.
	 * <p>
	 * It is false as soon as the lease may have run out, even if nobody noticed yet. A
	 * process can be paused right after the answer, so what must not happen twice has to
	 * be fenced by the epoch as well.
	 * @return whether this member leads
	 */
	boolean isLeader();

	/**
	 * Return this member's current term.
	 * @return the term, empty if this member does not lead
	 */
	Optional<Leadership> leadership();

	/**
	 * Wait until this member leads, and compete for the role meanwhile, even before the
	 * application is ready. A member that is no candidate, or that is paused, only waits.
	 * @param timeout how long to wait at most
	 * @return the term, empty if there was none in time or the application has stopped
	 * @throws InterruptedException if the thread is interrupted
	 */
	Optional<Leadership> await(Duration timeout) throws InterruptedException;

	/**
	 * Run work like a {@link LeaderOnly} method if this member leads: under the epoch of
	 * the present term, fenced, and to its end before the role is given up.
	 * @param work what to do
	 * @return whether it was done
	 */
	boolean runIfLeader(Runnable work);

	/**
	 * Give the role up: no new calls begin, running ones end, then another member may
	 * lead. This one does not compete again for the time of a lease. Returns at once.
	 */
	void resign();

	/**
	 * Give the role up like {@link #resign()}, and do not compete for it again before
	 * {@link #resume()}.
	 */
	void pause();

	/**
	 * Compete for the role again. Does nothing if this member was not paused.
	 */
	void resume();

	/**
	 * Return whether this member is paused, and so does not compete for the role.
	 * @return whether it was paused
	 */
	boolean isPaused();

	/**
	 * Register a listener. If this member leads, it is notified of the current term
	 * first.
	 * @param listener what to call
	 * @return ends the registration
	 */
	Registration onChange(LeadershipListener listener);

}
