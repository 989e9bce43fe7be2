package io.leaderstarter.election;

import java.time.Duration;
import java.util.List;

import io.leaderstarter.Member;
import io.leaderstarter.election.membership.Roster;
import io.leaderstarter.election.spi.LeaseKey;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.Moment;
import io.leaderstarter.election.spi.Platform;
import io.leaderstarter.election.spi.StoreListener;
import io.leaderstarter.election.state.Candidacy;
import org.jspecify.annotations.Nullable;

/**
 * One start of the elections: a member, its store, and the thread that makes all requests
 * to it. It renews leases, competes for roles, and announces the member to the others.
 */
final class MemberWork {

	/** Least time to wait for the thread, which may not be scheduled for a while. */
	private static final Duration LEAST_PATIENCE = Duration.ofSeconds(2);

	private final ElectionContext context;

	private final LeaseStore store;

	private final Competition competition;

	private final LeaseKeeper keeper;

	private final Membership membership;

	private final RoleSeeker seeker;

	private final Platform.Worker requests;

	/** Whether no request is made any more. */
	private volatile boolean stopped;

	MemberWork(Member member, LeaseStore store, ElectionContext context) {
		this.context = context;
		this.store = store;
		this.competition = new Competition(member, context);
		this.keeper = new LeaseKeeper(context, store);
		this.membership = new Membership(context, store, this.competition);
		Clearance clearance = new Clearance(context.gate(), context.dispatcher()::runGate, context.time(),
				context.timing().ttl(), (role, reason) -> {
					context.monitor().blocked(role, reason);
					// It waits until the next poll otherwise.
					wake();
				}, this::pollNow);
		this.seeker = new RoleSeeker(context, store, this.competition, this.keeper, this.membership.preferences(),
				clearance);
		this.requests = context.platform().worker("leader-requests", this::step);
		store.setListener(new StoreListener() {

			@Override
			public void onMaybeFree() {
				pollNow();
			}

			@Override
			public void onClockStep(Duration by) {
				MemberWork.this.seeker.clockWasSet();
				context.monitor().clockStepped(by);
			}

		});
	}

	LeaseStore store() {
		return this.store;
	}

	Competition competition() {
		return this.competition;
	}

	Roster roster() {
		return this.membership.roster();
	}

	void start() {
		this.requests.start();
	}

	/**
	 * End the thread after the current request, and releases what was granted at the last
	 * moment.
	 */
	void stop() {
		Duration patience = this.context.timing().requestTimeout();
		if (this.requests.stop((patience.compareTo(LEAST_PATIENCE) > 0) ? patience : LEAST_PATIENCE)) {
			Moment now = this.context.time().now();
			this.keeper.work(now);
			this.membership.withdraw(now);
		}
		this.stopped = true;
		this.keeper.abandonReleases();
	}

	/** Poll all roles that this member does not hold. */
	void pollNow() {
		this.seeker.pollNow();
		this.requests.wake();
	}

	/** There may be something to do. */
	void wake() {
		this.requests.wake();
	}

	/**
	 * Release a lease.
	 * @return false if this member was stopped, so that nobody makes the request and the
	 * lease has to run out
	 */
	boolean release(LeaseKey lease) {
		this.keeper.release(lease);
		if (this.stopped) {
			// Unless the stop has already seen it.
			return !this.keeper.abandonRelease(lease);
		}
		this.requests.wake();
		return true;
	}

	@Nullable Candidacy candidacy(String role) {
		return this.seeker.candidacy(role);
	}

	/**
	 * Create at most one request, so that a renewal never waits for more than one other.
	 */
	private Duration step() {
		Moment now = this.context.time().now();
		boolean competing = this.competition.hasBegun();
		boolean listed = competing && this.membership.isFirst();
		if (this.keeper.work(now) || (listed && this.membership.work(now)) || this.seeker.work(now)
				|| (competing && this.membership.work(now))) {
			return Duration.ZERO;
		}
		Moment end = this.context.time().now();
		Duration least = competing ? this.membership.untilNext(end) : this.seeker.untilNext(end);
		for (Duration next : List.of(this.keeper.untilNext(end), this.seeker.untilNext(end))) {
			least = (next.compareTo(least) < 0) ? next : least;
		}
		return least;
	}

}
