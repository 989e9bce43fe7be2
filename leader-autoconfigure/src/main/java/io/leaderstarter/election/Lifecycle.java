package io.leaderstarter.election;

import java.time.Duration;
import java.util.Optional;
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

	private final DeadlineWatchdog watchdog;

	private final Platform.Worker deadlines;

	private final ReentrantLock startStop = new ReentrantLock();

	/** Until the first start, when it gets its id. */
	private final Member beforeStart;

	/** Of the last start, {@code null} if there was none. */
	private volatile @Nullable MemberWork work;

	private volatile boolean started;

	/**
	 * Whether {@link #stop()} came last, so that a thread that waits does not start it
	 * all again.
	 */
	private volatile boolean stopped;

	Lifecycle(Supplier<Member> members, LeaseStores stores, ElectionContext context) {
		this.members = members;
		this.stores = stores;
		this.context = context;
		this.beforeStart = members.get();
		this.watchdog = new DeadlineWatchdog(context);
		this.deadlines = context.platform().worker("leader-deadlines", this.watchdog::check);
	}

	boolean isStopped() {
		return this.stopped;
	}

	/** Whether no term may begin any more. */
	boolean isEnding() {
		return work().filter((present) -> present.competition().isOver()).isPresent();
	}

	Member member() {
		return work().map((present) -> present.competition().member()).orElse(this.beforeStart);
	}

	Optional<MemberWork> work() {
		return Optional.ofNullable(this.work);
	}

	Duration longestPause() {
		return this.watchdog.pauses().longest();
	}

	/** Whether this member competes for a role even if no thread waits for it. */
	boolean competes(RoleElection election) {
		return work().filter((present) -> present.competition().competesByItself(election)).isPresent();
	}

	void compete() {
		work().ifPresent((present) -> {
			present.competition().begin();
			present.pollNow();
		});
	}

	/** Poll all roles that this member does not hold. */
	void pollNow() {
		work().ifPresent(MemberWork::pollNow);
	}

	/**
	 * Forget a role that was left, once a poll shows that nothing of it is held. Before
	 * the elections are started there is no poll, and nothing can be held.
	 */
	void left(RoleElection election) {
		if (this.started) {
			pollNow();
		}
		else {
			this.context.roles().forget(election);
		}
	}

	/** There may be something to do. */
	void wake() {
		work().ifPresent(MemberWork::wake);
	}

	/**
	 * Start if that was not done yet.
	 * @param again whether to start also if it all was stopped
	 * @return whether it is started
	 */
	boolean start(boolean again) {
		if (!again && this.stopped) {
			// Without the lock: a stop keeps it until the running calls have ended, and
			// one of them may be who asks.
			return false;
		}
		this.startStop.lock();
		try {
			if (!this.started && (again || !this.stopped)) {
				MemberWork begun = prepare();
				this.stopped = false;
				this.watchdog.pauses().reset();
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
	 * Leave all roles and ends. Calls that run have the drain time-out to end.
	 */
	void stop() {
		this.startStop.lock();
		try {
			this.stopped = true;
			this.context.roles().all().forEach((election) -> election.termWait().wake());
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
		present.competition().end();
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
