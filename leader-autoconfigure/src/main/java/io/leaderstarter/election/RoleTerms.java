package io.leaderstarter.election;

import java.util.concurrent.locks.ReentrantLock;

import io.leaderstarter.Leadership;
import io.leaderstarter.RevocationReason;
import io.leaderstarter.election.spi.LeaseKey;
import io.leaderstarter.election.spi.Moment;
import io.leaderstarter.election.spi.TimeSource;
import io.leaderstarter.election.state.Failures;
import io.leaderstarter.election.state.RoleInput;
import io.leaderstarter.election.state.RoleState.Follower;
import io.leaderstarter.election.state.RoleState.Holder;
import io.leaderstarter.election.state.RoleState.Phase;
import io.leaderstarter.election.state.RoleState;
import io.leaderstarter.election.state.RoleStateMachine;
import org.jspecify.annotations.Nullable;

/**
 * The state of a role on this member, from term to term.
 * <p>
 * Every change goes through {@link #apply(RoleInput)}, one at a time. Reading needs no
 * lock: the state is immutable and replaced as a whole.
 */
final class RoleTerms {

	private final RoleElection election;

	private final TimeSource time;

	private final Failures failures;

	private final RoleEffects effects;

	private final ReentrantLock lock = new ReentrantLock();

	private volatile RoleState state = Follower.INSTANCE;

	/** When the present phase began. */
	private volatile @Nullable Moment phaseSince;

	/** Whether this member backs off when the term that ends is over. */
	private boolean backsOff;

	/**
	 * Create the terms of a role, of which there is none yet.
	 * @param election the election for the role
	 * @param time the clocks
	 * @param failures counts how often the work of the role failed
	 * @param effects does what changes ask for
	 */
	RoleTerms(RoleElection election, TimeSource time, Failures failures, RoleEffects effects) {
		this.election = election;
		this.time = time;
		this.failures = failures;
		this.effects = effects;
	}

	/** What changes are made under. */
	ReentrantLock lock() {
		return this.lock;
	}

	RoleState state() {
		return this.state;
	}

	@Nullable Moment phaseSince() {
		return this.phaseSince;
	}

	/** The term under which calls may begin now, {@code null} if they may not. */
	@Nullable Leadership admitting() {
		return (this.state instanceof Holder holder && holder.phase() == Phase.LEADER
				&& !holder.deadline().hasPassed(this.time.nanoTime(), this.time.currentTimeMillis()))
						? holder.leadership() : null;
	}

	/** Whether what is done under a term of this member still counts. */
	boolean isValid(Leadership leadership) {
		return this.state instanceof Holder holder && holder.is(leadership.termId()) && holder.isValid(this.time.now());
	}

	/**
	 * The lease that this member intends to hold on to, {@code null} if there is none.
	 */
	@Nullable LeaseKey intendedLease() {
		return (this.state instanceof Holder holder && holder.phase().isRenewed()) ? holder.key() : null;
	}

	/** Leave the role and back off, so that others can compete first. */
	void giveUp(RevocationReason reason) {
		this.lock.lock();
		try {
			this.backsOff = true;
			apply(new RoleInput.Leave(reason));
			this.backsOff = this.state instanceof Holder;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Give the role up if its work has failed too often. */
	void workEnded(@Nullable Throwable failure) {
		if (!this.failures.areCounted()) {
			return;
		}
		// Under the lock, so that calls that fail together are a reason to yield once.
		this.lock.lock();
		try {
			if (admitting() != null && this.failures.ended(failure)) {
				giveUp(RevocationReason.YIELDED);
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	/** No call runs any more. */
	void drained() {
		if (this.state instanceof Holder holder && holder.isDraining()) {
			apply(new RoleInput.Drained(holder.leadership().termId()));
		}
	}

	/**
	 * Apply an input. Returns soon; what may block is handed to other threads.
	 */
	void apply(RoleInput input) {
		Participation participation = this.election.participation();
		this.lock.lock();
		try {
			change(input);
			if ((participation.isPaused() || participation.isGone()) && this.state instanceof Holder) {
				// A term may have been granted that was asked for before.
				change(new RoleInput.Leave(
						participation.isPaused() ? RevocationReason.PAUSED : RevocationReason.RESIGNED));
			}
			if (this.state instanceof Holder holder && holder.isDraining() && this.election.calls().areOver()) {
				change(new RoleInput.Drained(holder.leadership().termId()));
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
		RoleState after = transition.state();
		this.state = after;
		if (after instanceof Follower && before instanceof Holder && this.backsOff) {
			// Even if the lease could not be released and has to run out first.
			this.election.backOff(this.failures.pause());
			this.backsOff = false;
		}
		if (before.phase() != after.phase()) {
			this.phaseSince = now;
			this.election.record().changed(before, after, input, now);
			if (after.phase() == Phase.LEADER) {
				this.election.termWait().wake();
			}
			if (after.isCancelled()) {
				this.election.calls().cancelAll();
			}
		}
		if (after instanceof Follower && before instanceof Holder) {
			this.effects.roleLeft(this.election);
		}
		// The state is visible before any listener is notified. The order in which
		// effects are handed on is the order of the changes, as all of this is under the
		// lock.
		transition.effects().forEach((effect) -> {
			this.election.record().announced(effect, now);
			this.effects.perform(this.election, effect);
		});
	}

}
