package io.leaderstarter.election;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

import io.leaderstarter.LeaderElection;
import io.leaderstarter.Leadership;
import io.leaderstarter.LeadershipListener;
import io.leaderstarter.RevocationReason;
import io.leaderstarter.Registration;
import io.leaderstarter.election.spi.Moment;
import io.leaderstarter.election.spi.Platform;
import io.leaderstarter.election.spi.TimeSource;
import io.leaderstarter.election.state.Failures;
import io.leaderstarter.election.state.RoleInput;
import io.leaderstarter.election.state.RoleState.Follower;
import io.leaderstarter.election.state.RoleState.Holder;
import io.leaderstarter.election.state.RoleState;
import org.jspecify.annotations.Nullable;

/**
 * The election for one role: what applications see of it, and what the engine does with
 * it.
 *
 * @since 0.1.0
 */
public final class RoleElection implements LeaderElection {

	private final String role;

	private final TimeSource time;

	private final RoleEffects effects;

	private final boolean candidate;

	private final RoleRecord record = new RoleRecord();

	private final Participation participation = new Participation();

	private final RoleTerms terms;

	private final RoleCalls calls;

	private final TermWait wait;

	private final List<LeadershipListener> listeners = new CopyOnWriteArrayList<>();

	/**
	 * Create the election.
	 * @param role the role
	 * @param candidate whether the settings let this member lead the role
	 * @param failures counts how often the work of the role failed
	 * @param platform the clocks, and where threads wait
	 * @param effects does what changes ask for
	 */
	RoleElection(String role, boolean candidate, Failures failures, Platform platform, RoleEffects effects) {
		this.role = role;
		this.candidate = candidate;
		this.time = platform.time();
		this.effects = effects;
		this.terms = new RoleTerms(this, this.time, failures, effects);
		this.calls = new RoleCalls(this, effects.executor());
		this.wait = new TermWait(this, this.terms.lock(), platform, effects);
	}

	@Override
	public String role() {
		return this.role;
	}

	@Override
	public boolean isLeader() {
		return this.terms.admitting() != null;
	}

	@Override
	public Optional<Leadership> leadership() {
		return Optional.ofNullable(this.terms.admitting());
	}

	@Override
	public Optional<Leadership> await(Duration timeout) throws InterruptedException {
		return this.wait.contend(timeout);
	}

	/** Wait for terms, and do work under them. */
	TermWait termWait() {
		return this.wait;
	}

	@Override
	public boolean runIfLeader(Runnable work) {
		RoleCall call = enter();
		if (call == null) {
			return false;
		}
		this.effects.calls().run(call, LeaderElection.class, "runIfLeader", () -> {
			work.run();
			return null;
		});
		return true;
	}

	@Override
	public void resign() {
		this.terms.giveUp(RevocationReason.RESIGNED);
	}

	@Override
	public void pause() {
		// A term that ends with it is logged with the reason.
		if (!isPaused() && isFollower()) {
			TransitionLog.paused("'" + this.role + "'");
		}
		pauseQuietly();
	}

	/** Pause as one of many roles, which are logged together. */
	void pauseQuietly() {
		this.participation.pause();
		apply(new RoleInput.Leave(RevocationReason.PAUSED));
	}

	@Override
	public void resume() {
		if (isPaused()) {
			TransitionLog.resumed("'" + this.role + "'");
		}
		resumeQuietly();
	}

	/** Resume as one of many roles, which are logged together. */
	void resumeQuietly() {
		this.participation.resume();
		this.effects.resumed();
	}

	@Override
	public boolean isPaused() {
		return this.participation.isPaused();
	}

	@Override
	public Registration onChange(LeadershipListener listener) {
		LeadershipListener queued = this.effects.queued(listener);
		this.terms.lock().lock();
		try {
			// Under the lock, so that the listener misses no change and sees none twice.
			if (state() instanceof Holder holder && holder.isAnnounced()) {
				queued.onGranted(holder.leadership());
			}
			this.listeners.add(queued);
		}
		finally {
			this.terms.lock().unlock();
		}
		return () -> this.listeners.remove(queued);
	}

	/**
	 * Return how long nobody led before this member's last term began, from when this
	 * member first saw that.
	 * @return how long, {@code null} if that is not known
	 */
	public @Nullable Duration vacancy() {
		return this.record.vacancy();
	}

	/**
	 * Begin a call if this member leads. Without a term nothing is locked or allocated.
	 * @return the call, which must be closed; {@code null} if this member does not lead
	 */
	public @Nullable RoleCall enter() {
		return enter(Duration.ZERO, false);
	}

	/**
	 * Begin a call if this member leads or begins to lead in time.
	 * @param wait how long to wait for that at most
	 * @param competing whether this member competes for the role meanwhile, even before
	 * the application is ready
	 * @return the call, which must be closed; {@code null} if this member does not lead,
	 * or the thread was interrupted while it waited, which it then still is
	 */
	public @Nullable RoleCall enter(Duration wait, boolean competing) {
		RoleCall call = isLeader() ? this.calls.begin() : null;
		if (call == null && !wait.isZero() && !isPaused() && this.candidate) {
			call = this.wait.enter(wait, competing && !this.effects.competes(this));
		}
		if (call == null) {
			this.record.skipped();
		}
		return call;
	}

	/**
	 * Return whether this member is a candidate that does not compete for the role yet,
	 * as the application is not ready.
	 * @return whether it competes later
	 */
	public boolean competesLater() {
		return !isPaused() && this.participation.isJoined() && this.candidate && !this.effects.competes(this)
				&& !this.effects.isOver();
	}

	/**
	 * End a term whose write was refused by a fence that had been raised for it: a later
	 * term has begun there, and this member does not know it yet.
	 * @param leadership the term
	 */
	public void refusedByFence(Leadership leadership) {
		apply(new RoleInput.FenceRefused(leadership.termId()));
	}

	/** The calls that run under its terms. */
	RoleCalls calls() {
		return this.calls;
	}

	/** Whether the settings let this member lead the role. */
	boolean isCandidate() {
		return this.candidate;
	}

	void apply(RoleInput input) {
		this.terms.apply(input);
	}

	RoleTerms terms() {
		return this.terms;
	}

	RoleRecord record() {
		return this.record;
	}

	/** Let others compete for the role first. */
	void backOff(Duration delay) {
		this.participation.backOffUntil(this.time.now().plus(delay));
	}

	/** Whether this member holds nothing of the role and does not back off. */
	boolean mayCompete(Moment now) {
		return isFollower() && !isPaused() && this.participation.backOffLeft(now).isZero();
	}

	/** Mark this election as forgotten: the role is not polled any more. */
	void forget() {
		this.participation.forget();
		this.wait.wake();
	}

	boolean isFollower() {
		return state() instanceof Follower;
	}

	/**
	 * Give the role up for good. It is forgotten once it is seen that nothing of it is
	 * held.
	 */
	void leave() {
		this.participation.leave();
		apply(new RoleInput.Leave(RevocationReason.RESIGNED));
	}

	/** Why this member takes part in the election, and for how long. */
	Participation participation() {
		return this.participation;
	}

	/**
	 * Return whether this member left the role, so that another election is made if it
	 * joins again.
	 * @return whether it was left
	 */
	public boolean isGone() {
		return this.participation.isGone();
	}

	RoleState state() {
		return this.terms.state();
	}

	List<LeadershipListener> listeners() {
		return this.listeners;
	}

}
