package io.leaderstarter.election;

import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.leaderstarter.LeaderElection;
import io.leaderstarter.LeaderElections;
import io.leaderstarter.LeadershipListener;
import io.leaderstarter.Member;
import io.leaderstarter.election.membership.Candidate;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.LeaseStores;
import io.leaderstarter.election.spi.Platform;
import io.leaderstarter.election.spi.RequestListener;
import io.leaderstarter.election.spi.TermGate;
import io.leaderstarter.election.spi.TimeSource;
import io.leaderstarter.election.state.Failures;
import org.jspecify.annotations.Nullable;

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

	private final ElectionContext context;

	private final Roles roles = new Roles(this::makeElection);

	private final Calls calls;

	private final Lifecycle lifecycle;

	private final TermEffects effects;

	/**
	 * Create elections without listeners and observers of calls. Nothing happens before
	 * {@link #start()}.
	 * @param member this member
	 * @param store keeps the leases. It is not closed when the elections stop
	 * @param gate what comes before a term begins
	 * @param settings how this member takes part
	 * @param time the clocks
	 */
	public DefaultLeaderElections(Member member, LeaseStore store, TermGate gate, ElectionSettings settings,
			TimeSource time) {
		this(() -> member, LeaseStores.of(store), gate, settings, Platform.of(time), Calls.PLAIN);
	}

	/**
	 * Create the elections. Nothing happens before {@link #start()}.
	 * @param members makes the member of each start
	 * @param stores makes the store of each start
	 * @param gate what comes before a term begins
	 * @param settings how this member takes part
	 * @param platform clocks, threads and random numbers
	 * @param calls how work is run under a term
	 */
	public DefaultLeaderElections(Supplier<Member> members, LeaseStores stores, TermGate gate,
			ElectionSettings settings, Platform platform, Calls calls) {
		StoreMonitor monitor = new StoreMonitor(stores.name(), platform.time(), settings.timing().ttl());
		this.context = new ElectionContext(settings, platform, gate, this.roles, monitor, new Dispatcher(platform));
		this.calls = calls;
		this.lifecycle = new Lifecycle(members, stores, this.context);
		this.effects = new TermEffects(this.context, calls, this.lifecycle);
	}

	@Override
	public Member member() {
		return this.lifecycle.member();
	}

	@Override
	public RoleElection election(String role) {
		return find(role).orElseThrow(() -> new IllegalArgumentException(
				"The role '%s' was not joined; roles of this member: %s".formatted(role, this.roles.names())));
	}

	/**
	 * Return the election for a role, if this member has joined it.
	 * @param role the role
	 * @return its election
	 */
	public Optional<RoleElection> find(String role) {
		return Optional.ofNullable(this.roles.find(role));
	}

	@Override
	public RoleElection join(String role) {
		RoleElection election = this.roles.join(role);
		this.lifecycle.wake();
		return election;
	}

	@Override
	public void leave(String role) {
		RoleElection election = this.roles.leave(role);
		if (election != null) {
			this.lifecycle.left(election);
		}
	}

	@Override
	public boolean runExclusively(String role, Duration timeout, Runnable work) throws InterruptedException {
		RoleElection election = this.roles.beginWaiting(role);
		try {
			return election.termWait().runInTurn(timeout, work);
		}
		finally {
			this.roles.endWaiting(election);
			if (election.participation().isJoined() && !election.participation().isContended()) {
				election.resign();
			}
			this.lifecycle.left(election);
		}
	}

	private RoleElection makeElection(String role) {
		ElectionSettings.Role settings = this.context.settings().of(role);
		Failures failures = new Failures(settings.yieldAfterFailures(), this.context.timing().ttl());
		return new RoleElection(role, settings.candidate(), failures, this.context.platform(), this.effects);
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
		return this.lifecycle.work().map((work) -> work.roster().members()).orElseGet(List::of);
	}

	@Override
	public Optional<Member> leader(String role) {
		String leader = status(role).leader();
		return Stream.concat(Stream.of(member()), members().stream())
			.filter((member) -> member.id().equals(leader))
			.findFirst();
	}

	@Override
	public Collection<LeaderElection> all() {
		return Collections.unmodifiableCollection(this.roles.all());
	}

	/**
	 * Return whether the settings let this member compete for a role at all.
	 * @param role the role
	 * @return whether it may
	 */
	public boolean isCandidate(String role) {
		return this.context.settings().of(role).candidate();
	}

	/**
	 * Return how work is run under a term.
	 * @return runs work
	 */
	public Calls calls() {
		return this.calls;
	}

	/**
	 * Register a listener for the terms of all roles.
	 * @param listener what to call
	 */
	public void addListener(LeadershipListener listener) {
		this.effects.addListener(listener);
	}

	/**
	 * Return a listener whose calls are queued, in order, for the given one, so that one
	 * that hangs does not hold up its caller.
	 * @param <T> the type of the notification
	 * @param listener what to call, on a thread for listeners
	 * @return calls it later
	 */
	public <T> Consumer<T> queued(Consumer<T> listener) {
		return this.context.dispatcher().queued(listener);
	}

	/**
	 * Register a listener for every role that is joined, those that are joined already
	 * first.
	 * @param listener what to call, on the thread that joins
	 */
	public void addJoinListener(Consumer<LeaderElection> listener) {
		this.roles.addJoinListener(listener);
	}

	/**
	 * Register a listener for every role that was left and is forgotten.
	 * @param listener what to call, with the role
	 */
	public void addLeaveListener(Consumer<String> listener) {
		this.roles.addLeaveListener(listener);
	}

	/**
	 * Register a listener for every request to the store.
	 * @param listener what to call
	 */
	public void addRequestListener(RequestListener listener) {
		this.context.monitor().addListener(listener);
	}

	/**
	 * Make sure that the store can be used, and begin to poll it. This member competes
	 * for no role before {@link #compete()}. Does nothing if that was done already.
	 */
	public void start() {
		this.lifecycle.start(true);
	}

	/**
	 * Begin to compete for the roles.
	 */
	public void compete() {
		this.lifecycle.compete();
	}

	/**
	 * Leave all roles and ends. No new calls begin; running ones have the drain time-out
	 * to end; then the roles are released, so that others can lead at once. A role whose
	 * calls do not end is left to run out by itself.
	 */
	public void stop() {
		this.lifecycle.stop();
	}

	/**
	 * Return what is known about a role.
	 * @param role the role
	 * @return its status
	 */
	public RoleStatus status(String role) {
		return status(election(role));
	}

	/**
	 * Return what is known about a role, which may have been left meanwhile.
	 * @param election its election
	 * @return its status
	 */
	public RoleStatus status(RoleElection election) {
		return RoleStatus.of(election, this.context,
				this.lifecycle.work().map((work) -> work.candidacy(election.role())).orElse(null));
	}

	/**
	 * Return the candidates for a role, as far as this member knows.
	 * @param role the role
	 * @return the candidates, those with the highest priority first
	 */
	public List<Candidate> candidates(String role) {
		return this.lifecycle.work().map((work) -> work.roster().candidates(role)).orElseGet(List::of);
	}

	/**
	 * Return the longest pause of this process that was noticed.
	 * @return the longest pause
	 */
	public Duration longestPause() {
		return this.lifecycle.longestPause();
	}

	/**
	 * Return the store that is used since the last start.
	 * @return the store, {@code null} if the elections were not started
	 */
	public @Nullable LeaseStore store() {
		return this.lifecycle.work().map(MemberWork::store).orElse(null);
	}

	/**
	 * Return how the store answers.
	 * @return its status
	 */
	public StoreStatus storeStatus() {
		return this.context.monitor().status();
	}

}
