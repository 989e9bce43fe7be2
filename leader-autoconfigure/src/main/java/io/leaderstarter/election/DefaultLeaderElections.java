package io.leaderstarter.election;

import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.leaderstarter.LeaderElection;
import io.leaderstarter.LeaderElections;
import io.leaderstarter.LeadershipListener;
import io.leaderstarter.Member;
import io.leaderstarter.RevocationReason;
import io.leaderstarter.election.RoleState.Holder;
import io.leaderstarter.election.spi.LeaseKey;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.Moment;
import io.leaderstarter.election.spi.StoreListener;
import io.leaderstarter.election.spi.TermGate;
import io.leaderstarter.election.spi.TimeSource;

/**
 * All elections of this member over one store.
 * <p>
 * Two threads serve any number of roles: one makes all requests to the store, the other
 * watches the deadlines. Listeners and gates run on threads that exist only while there
 * is something to run.
 *
 * @since 0.1.0
 */
public final class DefaultLeaderElections implements LeaderElections {

	private static final Duration LISTENER_PATIENCE = Duration.ofSeconds(2);

	private final Supplier<Member> member;

	private final LeaseStore store;

	private final Calls calls;

	private final TermGate gate;

	private final ElectionSettings settings;

	private final TimeSource time;

	private final Roles roles = new Roles(this::makeElection);

	private final TermEffects effects;

	private final Dispatcher dispatcher = new Dispatcher();

	private final StoreMonitor monitor;

	private final PauseDetector pauses;

	private final LeaseKeeper keeper;

	private final RoleSeeker seeker;

	private final Roster roster;

	private final Rebalancer rebalancer;

	private final Worker requests;

	private final Worker deadlines;

	private final ReentrantLock startStop = new ReentrantLock();

	private volatile boolean started;

	/**
	 * Whether {@link #stop()} came last, so that nobody who waits starts it all again.
	 */
	private volatile boolean stopped;

	private volatile boolean standing;

	private volatile boolean stopping;

	/**
	 * Makes elections whose calls nobody is told of. Nothing happens before
	 * {@link #start()}.
	 * @param member this member
	 * @param store keeps the leases
	 * @param gate what comes before a term begins
	 * @param settings how this member takes part
	 * @param time the clocks
	 */
	public DefaultLeaderElections(Member member, LeaseStore store, TermGate gate, ElectionSettings settings,
			TimeSource time) {
		this(() -> member, store, gate, settings, time, Calls.PLAIN);
	}

	/**
	 * Makes the elections. Nothing happens before {@link #start()}.
	 * @param member this member, asked for again after every start
	 * @param store keeps the leases
	 * @param gate what comes before a term begins
	 * @param settings how this member takes part
	 * @param time the clocks
	 * @param calls how work is run under a term
	 */
	public DefaultLeaderElections(Supplier<Member> member, LeaseStore store, TermGate gate, ElectionSettings settings,
			TimeSource time, Calls calls) {
		this.member = member;
		this.calls = calls;
		this.store = store;
		this.gate = gate;
		this.settings = settings;
		this.time = time;
		this.monitor = new StoreMonitor(store.name(), time, settings.timing().ttl());
		// Whatever the time of the elections is, this process lives in that of the
		// system.
		this.pauses = new PauseDetector(TimeSource.SYSTEM, settings.timing().ttl());
		this.keeper = new LeaseKeeper(store, settings.timing(), time, this.monitor, this.roles::all);
		this.roster = new Roster(store, settings.timing(), time, this.monitor, this::card, this::listed);
		Preferences preferences = new Preferences(this.roster::entries, settings.placement(), settings.priority(),
				this::memberId, settings.timing().ttl(), store::pollInterval);
		this.rebalancer = new Rebalancer(preferences, this.roles::all, settings.timing().ttl());
		this.seeker = new RoleSeeker(store, settings.timing(), time, this.monitor, this::memberId, this.roles::all,
				this::isStanding, this.roles::forget, this.keeper, preferences,
				new RoleTaker(store, settings.timing(), time, this::memberId, this.keeper), new Clearance(gate,
						this.dispatcher::runGate, time, settings.timing().ttl(), this.monitor::blocked, this::lookNow));
		DeadlineWatchdog watchdog = new DeadlineWatchdog(this.roles::all, time, settings.timing(),
				settings.drainTimeout(), this.pauses);
		this.effects = new TermEffects(gate, this.dispatcher, calls, new Host(), settings.timing().ttl(), this.monitor);
		this.requests = new Worker("leader-requests", this::step);
		this.deadlines = new Worker("leader-deadlines", watchdog::look);
		store.setListener(new StoreEvents());
	}

	@Override
	public Member member() {
		return this.member.get();
	}

	private String memberId() {
		return member().id();
	}

	@Override
	public RoleElection election(String role) {
		return find(role).orElseThrow(() -> new IllegalArgumentException(
				"The role '%s' was not joined; roles of this member: %s".formatted(role, this.roles.names())));
	}

	/**
	 * Returns the election for a role, if this member has joined it.
	 * @param role the role
	 * @return its election
	 */
	public Optional<RoleElection> find(String role) {
		return Optional.ofNullable(this.roles.find(role));
	}

	@Override
	public RoleElection join(String role) {
		RoleElection election = this.roles.join(role);
		this.requests.wake();
		return election;
	}

	@Override
	public void leave(String role) {
		RoleElection election = this.roles.leave(role);
		if (election != null) {
			left(election);
		}
	}

	@Override
	public boolean runOnce(String role, Duration timeout, Runnable work) throws InterruptedException {
		RoleElection election = this.roles.beginWaiting(role);
		try {
			return election.runInTurn(timeout, work);
		}
		finally {
			this.roles.endWaiting(election);
			if (election.participation().isJoined() && !election.participation().isContended()) {
				election.resign();
			}
			left(election);
		}
	}

	private RoleElection makeElection(String role) {
		return new RoleElection(role, this.time,
				new Failures(this.settings.yieldAfterFailures().applyAsInt(role), this.settings.timing().ttl()),
				this.effects);
	}

	/**
	 * A role that was left is forgotten when it is seen that nothing of it is held. If
	 * nobody looks, because the elections were not started, nothing can be.
	 */
	private void left(RoleElection election) {
		if (this.started) {
			lookNow();
		}
		else {
			this.roles.forget(election);
		}
	}

	@Override
	public void pause() {
		this.roles.pause();
	}

	@Override
	public void resume() {
		this.roles.resume();
	}

	@Override
	public Collection<Member> members() {
		return this.roster.members();
	}

	@Override
	public Collection<LeaderElection> all() {
		return Collections.unmodifiableCollection(this.roles.all());
	}

	/**
	 * Returns whether the settings let this member stand for a role at all.
	 * @param role the role
	 * @return whether it may
	 */
	public boolean isCandidate(String role) {
		return this.settings.candidate().test(role);
	}

	/**
	 * Returns how work is run under a term.
	 * @return runs work
	 */
	public Calls calls() {
		return this.calls;
	}

	/**
	 * Registers a listener for the terms of all roles.
	 * @param listener what to call
	 */
	public void addListener(LeadershipListener listener) {
		this.effects.addListener(listener);
	}

	/**
	 * Registers who wants to know of every role, those that are joined already first.
	 * @param listener what to call, on the thread that joins
	 */
	public void addJoinListener(Consumer<LeaderElection> listener) {
		this.roles.addJoinListener(listener);
	}

	/**
	 * Registers who wants to know of every role that was left and is forgotten.
	 * @param listener what to call, with the role
	 */
	public void addLeaveListener(Consumer<String> listener) {
		this.roles.addLeaveListener(listener);
	}

	/**
	 * Registers who wants to know of every request to the store.
	 * @param listener what to call
	 */
	public void addRequestListener(RequestListener listener) {
		this.monitor.addListener(listener);
	}

	/**
	 * Makes sure that the store can be used and begins to look at it. This member stands
	 * for no role before {@link #stand()}. Does nothing if that was done already.
	 */
	public void start() {
		start(true);
	}

	/**
	 * Starts if that was not done yet.
	 * @param again whether to start also if it all was stopped
	 * @return whether it is started
	 */
	private boolean start(boolean again) {
		this.startStop.lock();
		try {
			if (!this.started && (again || !this.stopped)) {
				this.store.prepare();
				this.gate.prepare();
				this.standing = false;
				this.stopping = false;
				this.stopped = false;
				this.pauses.rests();
				this.deadlines.start();
				this.requests.start();
				this.started = true;
			}
			return this.started;
		}
		finally {
			this.startStop.unlock();
		}
	}

	/**
	 * Begins to stand for the roles.
	 */
	public void stand() {
		this.standing = true;
		lookNow();
	}

	/**
	 * Leaves all roles and ends. No new calls begin; running ones have the drain time-out
	 * to end; then the roles are released, so that others can lead at once. A role whose
	 * calls do not end is left to run out by itself.
	 */
	public void stop() {
		this.startStop.lock();
		try {
			this.stopped = true;
			this.roles.all().forEach(RoleElection::wakeWaiting);
			if (this.started) {
				end();
				this.started = false;
			}
		}
		finally {
			this.startStop.unlock();
		}
	}

	private void end() {
		this.stopping = true;
		this.roles.all().forEach((election) -> election.apply(new RoleInput.Leave(RevocationReason.SHUTDOWN)));
		this.requests.wake();
		this.deadlines.wake();
		awaitQuiet(this.settings.drainTimeout().plus(this.settings.timing().requestTimeout().multipliedBy(2)));
		if (this.requests.stop(this.settings.timing().requestTimeout())) {
			// What was granted at the last moment is free again.
			this.keeper.work(this.time.now());
			this.roster.withdraw(this.time.now());
		}
		this.deadlines.stop(LISTENER_PATIENCE);
		this.dispatcher.awaitIdle(LISTENER_PATIENCE);
		this.store.rest();
		this.gate.rest();
	}

	/**
	 * Returns what is known about a role.
	 * @param role the role
	 * @return its status
	 */
	public RoleStatus status(String role) {
		return status(election(role));
	}

	/**
	 * Returns what is known about a role, which may have been left meanwhile.
	 * @param election its election
	 * @return its status
	 */
	public RoleStatus status(RoleElection election) {
		Moment now = this.time.now();
		return (election.state() instanceof Holder holder) ? RoleStatus.ofTerm(election, holder, opened(holder), now)
				: RoleStatus.ofOthers(election, this.seeker.candidacy(election.role()), now);
	}

	private Collection<String> opened(Holder holder) {
		return (holder.phase() != RoleState.Phase.ACQUIRED) ? this.gate.opened(holder.leadership()) : List.of();
	}

	/**
	 * Returns who stands for a role, as far as this member knows.
	 * @param role the role
	 * @return the candidates, those with the highest priority first
	 */
	public List<Candidate> candidates(String role) {
		return this.roster.candidates(role);
	}

	/**
	 * Returns the longest time that this process stood still, as far as it was noticed.
	 * @return the longest pause
	 */
	public Duration longestPause() {
		return this.pauses.longest();
	}

	/**
	 * Returns how the store answers.
	 * @return its status
	 */
	public StoreStatus storeStatus() {
		return this.monitor.status();
	}

	private boolean isStanding(RoleElection election) {
		return (standsByItself(election) || election.participation().isContended()) && !this.stopping
				&& this.settings.candidate().test(election.role());
	}

	private boolean standsByItself(RoleElection election) {
		return this.standing && election.participation().isJoined();
	}

	/**
	 * Makes at most one request, so that a renewal never waits for more than one other.
	 */
	private Duration step() {
		Moment now = this.time.now();
		boolean listed = this.standing && this.roster.isFirst();
		if (this.keeper.work(now) || (listed && this.roster.work(now)) || this.seeker.work(now)
				|| (this.standing && this.roster.work(now))) {
			return Duration.ZERO;
		}
		Duration least = this.standing ? this.roster.untilNext(now) : this.seeker.untilNext(now);
		for (Duration next : List.of(this.keeper.untilNext(now), this.seeker.untilNext(now))) {
			least = (next.compareTo(least) < 0) ? next : least;
		}
		return least;
	}

	private void listed(Moment now) {
		if (this.settings.placement() == Placement.SPREAD && !this.stopping) {
			this.rebalancer.rebalance(now);
		}
	}

	/** What this member says of itself, as it is now. */
	private MemberCard card() {
		Map<String, Integer> priorities = new LinkedHashMap<>();
		for (RoleElection election : this.roles.all()) {
			if (isStanding(election) && !election.isPaused()) {
				priorities.put(election.role(), this.settings.priority().applyAsInt(election.role()));
			}
		}
		return MemberCard.of(member(), priorities);
	}

	private void lookNow() {
		this.seeker.lookNow();
		this.requests.wake();
	}

	private void awaitQuiet(Duration patience) {
		long end = System.nanoTime() + patience.toNanos();
		while (System.nanoTime() - end < 0 && this.roles.all().stream().anyMatch(DefaultLeaderElections::isEnding)) {
			try {
				Thread.sleep(5);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				return;
			}
		}
	}

	/**
	 * Whether there is still something to wait for: a call that may end, or a release.
	 */
	private static boolean isEnding(RoleElection election) {
		return election.state() instanceof Holder holder
				&& (holder.phase().isRenewed() || holder.phase() == RoleState.Phase.RELEASING);
	}

	/** What the terms of roles need of this member. */
	private final class Host implements TermEffects.Host {

		@Override
		public boolean stands(RoleElection election) {
			return standsByItself(election);
		}

		@Override
		public boolean isCandidate(RoleElection election) {
			return DefaultLeaderElections.this.isCandidate(election.role());
		}

		@Override
		public void standsAgain() {
			lookNow();
		}

		@Override
		public boolean isStopping() {
			return DefaultLeaderElections.this.stopping;
		}

		/**
		 * Somebody may wait for a role before the application has started, to migrate a
		 * database that its beans need.
		 */
		@Override
		public boolean wanted() {
			if (start(false)) {
				lookNow();
				return true;
			}
			return false;
		}

		@Override
		public boolean isStopped() {
			return DefaultLeaderElections.this.stopped;
		}

		@Override
		public void left(RoleElection election) {
			if (election.isGone()) {
				DefaultLeaderElections.this.seeker.lookNow();
			}
			DefaultLeaderElections.this.requests.wake();
		}

		@Override
		public void release(LeaseKey lease) {
			DefaultLeaderElections.this.keeper.release(lease);
			DefaultLeaderElections.this.requests.wake();
		}

	}

	private final class StoreEvents implements StoreListener {

		@Override
		public void onMaybeFree() {
			lookNow();
		}

		@Override
		public void onClockStep(Duration by) {
			DefaultLeaderElections.this.seeker.clockWasSet();
			DefaultLeaderElections.this.monitor.clockStepped(by);
		}

	}

}
