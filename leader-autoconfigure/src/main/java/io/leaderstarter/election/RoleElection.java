package io.leaderstarter.election;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;

import io.leaderstarter.ActiveTerm;
import io.leaderstarter.LeaderElection;
import io.leaderstarter.Leadership;
import io.leaderstarter.LeadershipListener;
import io.leaderstarter.RevocationReason;
import io.leaderstarter.Subscription;
import io.leaderstarter.election.RoleState.Follower;
import io.leaderstarter.election.RoleState.Holder;
import io.leaderstarter.election.RoleState.Phase;
import io.leaderstarter.election.spi.LeaseKey;
import io.leaderstarter.election.spi.Moment;
import io.leaderstarter.election.spi.TimeSource;
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

	private final Duration ttl;

	private final Effects effects;

	private final ReentrantLock lock = new ReentrantLock();

	private final List<LeadershipListener> listeners = new CopyOnWriteArrayList<>();

	/**
	 * Calls that run, and for an instant those that find out that they may not. A call is
	 * counted before it reads the state, and the state is changed before the count is
	 * read, so a call that was let in is never overlooked.
	 */
	private final AtomicInteger calls = new AtomicInteger();

	private final RoleHistory history = new RoleHistory();

	private final LongAdder granted = new LongAdder();

	private final LongAdder revoked = new LongAdder();

	private final LongAdder executed = new LongAdder();

	private final LongAdder skipped = new LongAdder();

	private volatile RoleState state = Follower.INSTANCE;

	private volatile boolean paused;

	/** When this member first saw that nobody leads. */
	private volatile @Nullable Moment vacantSince;

	private volatile @Nullable Duration vacancy;

	private volatile @Nullable Moment standAfter;

	/** When the present phase began. */
	private volatile @Nullable Moment phaseSince;

	RoleElection(String role, TimeSource time, Duration ttl, Effects effects) {
		this.role = role;
		this.time = time;
		this.ttl = ttl;
		this.effects = effects;
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
	public void resign() {
		apply(new RoleInput.Leave(RevocationReason.RESIGNED));
	}

	@Override
	public void pause() {
		this.paused = true;
		apply(new RoleInput.Leave(RevocationReason.PAUSED));
	}

	@Override
	public void resume() {
		this.paused = false;
		this.effects.roleLeft();
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
			if (this.state instanceof Holder holder && wasAnnounced(holder)) {
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
		return this.vacancy;
	}

	/**
	 * Begins a call if this member leads. Without a term nothing is locked or allocated.
	 * @return the call, which must be closed on the same thread; {@code null} if this
	 * member does not lead
	 */
	public @Nullable Call enter() {
		if (isLeader()) {
			this.calls.incrementAndGet();
			if (this.state instanceof Holder holder && admits(holder)) {
				this.executed.increment();
				return new Call(this, holder.leadership());
			}
			exit();
		}
		this.skipped.increment();
		return null;
	}

	private void exit() {
		if (this.calls.decrementAndGet() == 0 && this.state instanceof Holder holder && isDraining(holder)) {
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
			if (this.paused && this.state instanceof Holder) {
				// A term may have been granted that was asked for before.
				change(new RoleInput.Leave(RevocationReason.PAUSED));
			}
			if (this.state instanceof Holder holder && isDraining(holder) && this.calls.get() == 0) {
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
		if (transition.state() instanceof Follower && before instanceof Holder holder
				&& holder.reason() == RevocationReason.RESIGNED) {
			// Others get their turn, even if the lease could not be released and has to
			// run out first.
			standAfter(this.ttl.plus(this.ttl.dividedBy(4)));
		}
		if (phase(before) != phase(transition.state())) {
			this.phaseSince = now;
			this.history.add(describe(before, transition.state(), input, now));
		}
		if (transition.state() instanceof Follower && before instanceof Holder) {
			this.effects.roleLeft();
		}
		// The state is visible before anybody is told. The order in which effects are
		// handed on is the order of the changes, as all of this is under the lock.
		transition.effects().forEach((effect) -> perform(effect, now));
	}

	private void perform(RoleEffect effect, Moment now) {
		if (effect instanceof RoleEffect.AnnounceGranted) {
			this.granted.increment();
			Moment vacant = this.vacantSince;
			this.vacancy = (vacant != null) ? now.since(vacant) : null;
		}
		else if (effect instanceof RoleEffect.AnnounceRevoked) {
			this.revoked.increment();
		}
		this.effects.perform(this, effect);
	}

	private static RoleChange describe(RoleState before, RoleState after, RoleInput input, Moment now) {
		// Of two states that follow each other one is a term.
		Holder holder = (after instanceof Holder then) ? then : (Holder) before;
		RevocationReason reason = holder.reason();
		String why = (reason != null) ? reason.name() : null;
		if (input instanceof RoleInput.GateFailed failed && why == null) {
			why = failed.reason();
		}
		return new RoleChange(Instant.ofEpochMilli(now.wallMillis()), before.name(), after.name(),
				holder.leadership().epoch(), why);
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

	void vacantSince(@Nullable Moment vacantSince) {
		this.vacantSince = vacantSince;
	}

	RoleState state() {
		return this.state;
	}

	List<RoleChange> history() {
		return this.history.changes();
	}

	RoleCounts counts() {
		return new RoleCounts(this.granted.sum(), this.revoked.sum(), this.executed.sum(), this.skipped.sum());
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
				&& !holder.deadline().hasPassed(this.time);
	}

	private boolean isValid(Leadership leadership) {
		return this.state instanceof Holder holder && holder.is(leadership.tenure()) && holder.phase() != Phase.LOST
				&& holder.phase() != Phase.RELEASING && !holder.deadline().hasPassed(this.time);
	}

	private static @Nullable Phase phase(RoleState state) {
		return (state instanceof Holder holder) ? holder.phase() : null;
	}

	private static boolean isDraining(Holder holder) {
		return holder.phase() == Phase.LEAVING || holder.phase() == Phase.LET_GO || holder.phase() == Phase.LOST;
	}

	private static boolean wasAnnounced(Holder holder) {
		return holder.phase() == Phase.LEADER || (holder.phase() != Phase.LOST && holder.reason() != null);
	}

	/**
	 * A call that runs under a term. The member does not stand for the role again, and
	 * does not release it, before the call has ended.
	 */
	public static final class Call implements ActiveTerm, AutoCloseable {

		private final RoleElection election;

		private final Leadership leadership;

		private Call(RoleElection election, Leadership leadership) {
			this.election = election;
			this.leadership = leadership;
		}

		@Override
		public Leadership leadership() {
			return this.leadership;
		}

		@Override
		public boolean isValid() {
			return this.election.isValid(this.leadership);
		}

		@Override
		public void close() {
			this.election.exit();
		}

	}

	/**
	 * Does what a change asks for. Called under the lock, so it must only hand things on.
	 */
	interface Effects {

		void perform(RoleElection election, RoleEffect effect);

		/** This member has nothing of a role any more, and may look at it again. */
		default void roleLeft() {
		}

		/** A listener whose calls are queued, in order, for the given one. */
		LeadershipListener queued(LeadershipListener listener);

	}

}
