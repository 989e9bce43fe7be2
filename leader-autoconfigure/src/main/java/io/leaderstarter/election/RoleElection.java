package io.leaderstarter.election;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

import io.leaderstarter.LeaderElection;
import io.leaderstarter.Leadership;
import io.leaderstarter.LeadershipListener;
import io.leaderstarter.RevocationReason;
import io.leaderstarter.Subscription;
import io.leaderstarter.election.spi.LeaseKey;
import io.leaderstarter.election.spi.Moment;
import io.leaderstarter.election.spi.TimeSource;
import io.leaderstarter.election.state.RoleInput;
import io.leaderstarter.election.state.RoleState.Follower;
import io.leaderstarter.election.state.RoleState.Holder;
import io.leaderstarter.election.state.RoleState.Phase;
import io.leaderstarter.election.state.RoleState;
import io.leaderstarter.election.state.RoleStateMachine;
import org.jspecify.annotations.Nullable;

/**
 * The election for one role: holds its state, lets calls in and counts them.
 * <p>
 * Every change goes through {@link #apply(RoleInput)}, one at a time. Reading needs no
 * lock: the state is immutable and replaced as a whole.
 *
 * @since 0.1.0
 */
public final class RoleElection implements LeaderElection {

	private final String role;

	private final TimeSource time;

	private final Failures failures;

	private final RoleEffects effects;

	private final ReentrantLock lock = new ReentrantLock();

	private final TermWait wait;

	private final List<LeadershipListener> listeners = new CopyOnWriteArrayList<>();

	/**
	 * Calls that run, and for an instant those that find out that they may not. A call is
	 * counted before it reads the state, and the state is changed before the count is
	 * read, so a call that was let in is never overlooked.
	 */
	private final AtomicInteger calls = new AtomicInteger();

	private final Cancellations cancellations = new Cancellations();

	private final RoleRecord record = new RoleRecord();

	private final Participation participation = new Participation();

	private volatile RoleState state = Follower.INSTANCE;

	private volatile boolean paused;

	/** Whether others get their turn first when the term that ends is over. */
	private boolean standsAside;

	private volatile @Nullable Moment standAfter;

	/** When the present phase began. */
	private volatile @Nullable Moment phaseSince;

	/**
	 * Makes the election.
	 * @param role the role
	 * @param time the clocks
	 * @param failures counts how often the work of the role failed
	 * @param effects does what changes ask for
	 */
	RoleElection(String role, TimeSource time, Failures failures, RoleEffects effects) {
		this.role = role;
		this.time = time;
		this.failures = failures;
		this.effects = effects;
		this.wait = new TermWait(this, this.lock, effects);
	}

	@Override
	public String role() {
		return this.role;
	}

	@Override
	public boolean isLeader() {
		return admits(this.state);
	}

	@Override
	public Optional<Leadership> leadership() {
		return (this.state instanceof Holder holder && admits(holder)) ? Optional.of(holder.leadership())
				: Optional.empty();
	}

	@Override
	public Optional<Leadership> await(Duration timeout) throws InterruptedException {
		return this.wait.contend(timeout);
	}

	/**
	 * Waits until this member leads, without making it stand for the role.
	 * @param timeout how long to wait at most
	 * @return the term, empty if there was none in time
	 * @throws InterruptedException if the thread is interrupted
	 */
	public Optional<Leadership> awaitTerm(Duration timeout) throws InterruptedException {
		return this.wait.await(timeout);
	}

	/**
	 * Waits for a term and does work under it, one after the other if several of this
	 * process want that.
	 */
	boolean runInTurn(Duration timeout, Runnable work) throws InterruptedException {
		return this.wait.runInTurn(timeout, work);
	}

	@Override
	public boolean runIfLeader(Runnable work) {
		RoleCall call = enter();
		if (call == null) {
			return false;
		}
		this.effects.calls().run(call, LeaderElection.class, "runIfLeader", work);
		return true;
	}

	@Override
	public void resign() {
		giveUp(RevocationReason.RESIGNED);
	}

	/** Leaves the role so that others get their turn before this member stands again. */
	private void giveUp(RevocationReason reason) {
		this.lock.lock();
		try {
			this.standsAside = true;
			apply(new RoleInput.Leave(reason));
			this.standsAside = this.state instanceof Holder;
		}
		finally {
			this.lock.unlock();
		}
	}

	@Override
	public void pause() {
		// A term that ends with it is logged with the reason.
		if (!this.paused && isFollower()) {
			TransitionLog.paused("'" + this.role + "'");
		}
		pauseQuietly();
	}

	/** Pauses as one of many, which is logged once. */
	void pauseQuietly() {
		this.paused = true;
		apply(new RoleInput.Leave(RevocationReason.PAUSED));
	}

	@Override
	public void resume() {
		if (this.paused) {
			TransitionLog.resumed("'" + this.role + "'");
		}
		resumeQuietly();
	}

	/** Resumes as one of many, which is logged once. */
	void resumeQuietly() {
		this.paused = false;
		this.effects.standsAgain();
	}

	@Override
	public boolean isPaused() {
		return this.paused;
	}

	@Override
	public Subscription onChange(LeadershipListener listener) {
		LeadershipListener queued = this.effects.queued(listener);
		this.lock.lock();
		try {
			// Under the lock, so that the listener misses no change and sees none twice.
			if (this.state instanceof Holder holder && holder.isAnnounced()) {
				queued.onGranted(holder.leadership());
			}
			this.listeners.add(queued);
		}
		finally {
			this.lock.unlock();
		}
		return () -> this.listeners.remove(queued);
	}

	/**
	 * Returns how long nobody led before this member's last term began, from when this
	 * member first saw that.
	 * @return how long, {@code null} if that is not known
	 */
	public @Nullable Duration vacancy() {
		return this.record.vacancy();
	}

	/**
	 * Begins a call if this member leads. Without a term nothing is locked or allocated.
	 * @return the call, which must be closed; {@code null} if this member does not lead
	 */
	public @Nullable RoleCall enter() {
		return enter(Duration.ZERO, false);
	}

	/**
	 * Begins a call if this member leads or begins to lead in time.
	 * @param wait how long to wait for that at most
	 * @param competing whether this member competes for the role meanwhile, even before
	 * the application is ready
	 * @return the call, which must be closed; {@code null} if this member does not lead,
	 * or the thread was interrupted while it waited, which it then still is
	 */
	public @Nullable RoleCall enter(Duration wait, boolean competing) {
		RoleCall call = isLeader() ? tryEnter() : null;
		if (call == null && !wait.isZero() && !this.paused && this.effects.isCandidate(this)) {
			call = this.wait.enter(wait, competing && !this.effects.stands(this));
		}
		if (call == null) {
			this.record.skipped();
		}
		return call;
	}

	/**
	 * Returns whether this member is a candidate that does not compete for the role yet,
	 * as the application is not ready.
	 * @return whether it competes later
	 */
	public boolean competesLater() {
		return !this.paused && this.participation.isJoined() && this.effects.isCandidate(this)
				&& !this.effects.stands(this) && !this.effects.isOver();
	}

	/**
	 * Begins a call if this member leads.
	 * @return the call, {@code null} if it does not
	 */
	@Nullable RoleCall tryEnter() {
		this.calls.incrementAndGet();
		if (this.state instanceof Holder holder && admits(holder)) {
			return new RoleCall(this, holder.leadership());
		}
		exit();
		return null;
	}

	/**
	 * Runs an action when calls are not wanted any more, at once if they are not already.
	 */
	Subscription onCancel(RoleCall call, Runnable action) {
		return this.cancellations.add(call, action, () -> this.state.isCancelled(), this.effects.executor());
	}

	/** A call has ended that did nothing, so it was none. */
	void abandoned() {
		this.record.skipped();
		exit();
	}

	/**
	 * A call has ended.
	 * @param call the call
	 * @param failure what it threw, {@code null} if it went well
	 */
	void ended(RoleCall call, @Nullable Throwable failure) {
		this.cancellations.forget(call);
		this.record.executed();
		if (this.failures.areCounted()) {
			yieldAfter(failure);
		}
		exit();
	}

	/** Under the lock, so that calls that fail together are a reason to yield once. */
	private void yieldAfter(@Nullable Throwable failure) {
		this.lock.lock();
		try {
			if (isLeader() && this.failures.ended(failure)) {
				giveUp(RevocationReason.YIELDED);
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	private void exit() {
		if (this.calls.decrementAndGet() == 0 && this.state instanceof Holder holder && holder.isDraining()) {
			apply(new RoleInput.Drained(holder.leadership().tenure()));
		}
	}

	/**
	 * Lets something happen to this election. Short; whatever takes time is handed on.
	 */
	void apply(RoleInput input) {
		this.lock.lock();
		try {
			change(input);
			if ((this.paused || isGone()) && this.state instanceof Holder) {
				// A term may have been granted that was asked for before.
				change(new RoleInput.Leave(this.paused ? RevocationReason.PAUSED : RevocationReason.RESIGNED));
			}
			if (this.state instanceof Holder holder && holder.isDraining() && this.calls.get() == 0) {
				change(new RoleInput.Drained(holder.leadership().tenure()));
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	private void change(RoleInput input) {
		Moment now = this.time.now();
		RoleState before = this.state;
		RoleStateMachine.Transition transition = RoleStateMachine.apply(before, input, now);
		this.state = transition.state();
		if (transition.state() instanceof Follower && before instanceof Holder && this.standsAside) {
			// Even if the lease could not be released and has to run out first.
			standAfter(this.failures.pause());
			this.standsAside = false;
		}
		if (before.phase() != transition.state().phase()) {
			this.phaseSince = now;
			this.record.changed(before, transition.state(), input, now);
			phaseChanged(transition.state());
		}
		if (transition.state() instanceof Follower && before instanceof Holder) {
			this.effects.roleLeft(this);
		}
		// The state is visible before anybody is told. The order in which effects are
		// handed on is the order of the changes, as all of this is under the lock.
		transition.effects().forEach((effect) -> {
			this.record.announced(effect, now);
			this.effects.perform(this, effect);
		});
	}

	private void phaseChanged(RoleState state) {
		if (state.phase() == Phase.LEADER) {
			this.wait.wake();
		}
		if (state.isCancelled()) {
			this.cancellations.cancelAll(this.effects.executor());
		}
	}

	/**
	 * Keeps this member from standing for a while, so that others get their turn.
	 */
	void standAfter(Duration delay) {
		this.standAfter = this.time.now().plus(delay);
	}

	/**
	 * Returns whether this member holds nothing of the role and has waited long enough.
	 */
	boolean mayStand(Moment now) {
		Moment after = this.standAfter;
		return this.state instanceof Follower && !this.paused && (after == null || now.nanos() - after.nanos() >= 0);
	}

	/**
	 * Returns for how long this member still keeps from competing, so that it looks again
	 * when that is over.
	 */
	Duration untilMayStand(Moment now) {
		Moment after = this.standAfter;
		return (after == null) ? Duration.ZERO : Duration.ofNanos(Math.max(0, after.nanos() - now.nanos()));
	}

	void vacantSince(@Nullable Moment vacantSince) {
		this.record.vacantSince(vacantSince);
	}

	/** Wakes those who wait, as there may be nothing to wait for any more. */
	void wakeWaiting() {
		this.wait.wake();
	}

	/** Says that nobody looks at this election any more. */
	void forget() {
		this.participation.forget();
		wakeWaiting();
	}

	boolean isFollower() {
		return this.state instanceof Follower;
	}

	/**
	 * Gives the role up for good. It is forgotten once it is seen that nothing of it is
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
	 * Returns whether this member left the role, so that another election is made if it
	 * joins again.
	 * @return whether it was left
	 */
	public boolean isGone() {
		return this.participation.isGone();
	}

	RoleState state() {
		return this.state;
	}

	/** Whether no call runs at this moment. */
	boolean isIdle() {
		return this.calls.get() == 0;
	}

	List<RoleChange> history() {
		return this.record.history();
	}

	RoleCounts counts() {
		return this.record.counts();
	}

	/**
	 * Returns the lease that this member means to go on holding.
	 */
	@Nullable LeaseKey intendedLease() {
		return (this.state instanceof Holder holder && holder.phase().isRenewed()) ? holder.key() : null;
	}

	@Nullable Moment phaseSince() {
		return this.phaseSince;
	}

	List<LeadershipListener> listeners() {
		return this.listeners;
	}

	private boolean admits(RoleState state) {
		return state instanceof Holder holder && holder.phase() == Phase.LEADER
				&& !holder.deadline().hasPassed(this.time.nanoTime(), this.time.currentTimeMillis());
	}

	/** Whether what is done under a term of this member still counts. */
	boolean isValid(Leadership leadership) {
		return this.state instanceof Holder holder && holder.is(leadership.tenure()) && holder.phase() != Phase.LOST
				&& holder.phase() != Phase.RELEASING
				&& !holder.deadline().hasPassed(this.time.nanoTime(), this.time.currentTimeMillis());
	}

}
