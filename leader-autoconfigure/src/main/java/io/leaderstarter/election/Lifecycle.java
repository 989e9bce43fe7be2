package io.leaderstarter.election;

import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import io.leaderstarter.Member;
import io.leaderstarter.RevocationReason;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.LeaseStores;
import io.leaderstarter.election.spi.Platform;
import io.leaderstarter.election.state.RoleInput;
import io.leaderstarter.election.state.RoleState;
import io.leaderstarter.election.state.RoleState.Holder;
import org.jspecify.annotations.Nullable;

/**
 * Starts and stops the elections of this process, any number of times. Each start is a
 * new member with a new store: several processes can go on from one checkpoint, and each
 * would take the leases of the others for its own if they had the same id.
 */
final class Lifecycle {

	private static final Duration LISTENER_PATIENCE = Duration.ofSeconds(2);

	private final Supplier<Member> members;

	private final LeaseStores stores;

	private final ElectionContext context;

	private final PauseDetector pauses;

	private final Platform.Worker deadlines;

	private final ReentrantLock startStop = new ReentrantLock();

	/** Until the first start, when it gets its id. */
	private final Member beforeStart;

	/** Of the last start, {@code null} if there was none. */
	private volatile @Nullable MemberWork work;

	private volatile boolean started;

	/**
	 * Whether {@link #stop()} came last, so that nobody who waits starts it all again.
	 */
	private volatile boolean stopped;

	Lifecycle(Supplier<Member> members, LeaseStores stores, ElectionContext context) {
		this.members = members;
		this.stores = stores;
		this.context = context;
		this.beforeStart = members.get();
		this.pauses = new PauseDetector(context.platform().processTime(), context.timing().ttl());
		DeadlineWatchdog watchdog = new DeadlineWatchdog(context.roles()::all, context.time(), context.timing(),
				context.settings().drainTimeout(), this.pauses);
		this.deadlines = context.platform().worker("leader-deadlines", watchdog::look);
	}

	boolean isStopped() {
		return this.stopped;
	}

	/** Whether no term may begin any more. */
	boolean isEnding() {
		MemberWork present = this.work;
		return present != null && present.candidature().isOver();
	}

	Member member() {
		MemberWork present = this.work;
		return (present != null) ? present.candidature().member() : this.beforeStart;
	}

	@Nullable MemberWork work() {
		return this.work;
	}

	Duration longestPause() {
		return this.pauses.longest();
	}

	/** Whether this member competes for a role that nobody waits for. */
	boolean stands(RoleElection election) {
		MemberWork present = this.work;
		return present != null && present.candidature().standsByItself(election);
	}

	void stand() {
		MemberWork present = this.work;
		if (present != null) {
			present.candidature().begin();
			present.lookNow();
		}
	}

	/** Has all roles looked at that this member does not hold. */
	void lookNow() {
		MemberWork present = this.work;
		if (present != null) {
			present.lookNow();
		}
	}

	/**
	 * A role that was left is forgotten when it is seen that nothing of it is held. If
	 * nobody polls, because the elections were not started, nothing can be.
	 */
	void left(RoleElection election) {
		if (this.started) {
			lookNow();
		}
		else {
			this.context.roles().forget(election);
		}
	}

	/** There may be something to do. */
	void wake() {
		MemberWork present = this.work;
		if (present != null) {
			present.wake();
		}
	}

	/**
	 * Starts if that was not done yet.
	 * @param again whether to start also if it all was stopped
	 * @return whether it is started
	 */
	boolean start(boolean again) {
		this.startStop.lock();
		try {
			if (!this.started && (again || !this.stopped)) {
				MemberWork begun = prepare();
				this.stopped = false;
				this.pauses.rests();
				this.deadlines.start();
				begun.start();
				this.started = true;
			}
			return this.started;
		}
		finally {
			this.startStop.unlock();
		}
	}

	private MemberWork prepare() {
		Member member = this.members.get();
		LeaseStore store = this.stores.create(member);
		try {
			MemberWork made = new MemberWork(member, store, this.context);
			store.prepare();
			this.work = made;
			this.context.gate().prepare();
			return made;
		}
		catch (Throwable ex) {
			this.stores.discard(store);
			throw ex;
		}
	}

	/**
	 * Leaves all roles and ends. Calls that run have the drain time-out to end.
	 */
	void stop() {
		this.startStop.lock();
		try {
			this.stopped = true;
			this.context.roles().all().forEach(RoleElection::wakeWaiting);
			MemberWork present = this.work;
			if (this.started && present != null) {
				end(present);
				this.started = false;
			}
		}
		finally {
			this.startStop.unlock();
		}
	}

	private void end(MemberWork present) {
		present.candidature().end();
		this.context.roles()
			.all()
			.forEach((election) -> election.apply(new RoleInput.Leave(RevocationReason.SHUTDOWN)));
		present.wake();
		this.deadlines.wake();
		Duration patience = this.context.settings()
			.drainTimeout()
			.plus(this.context.timing().requestTimeout().multipliedBy(2));
		this.context.platform()
			.await(() -> this.context.roles().all().stream().noneMatch(Lifecycle::isEnding), patience);
		present.stop();
		this.deadlines.stop(LISTENER_PATIENCE);
		this.context.dispatcher().awaitIdle(LISTENER_PATIENCE);
		this.stores.discard(present.store());
		this.context.gate().stop();
	}

	/**
	 * Whether there is still something to wait for: a call that may end, or a release.
	 */
	private static boolean isEnding(RoleElection election) {
		return election.state() instanceof Holder holder
				&& (holder.phase().isRenewed() || holder.phase() == RoleState.Phase.RELEASING);
	}

}
