package io.leaderstarter.election;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;

import io.leaderstarter.Member;
import io.leaderstarter.election.membership.Candidate;
import io.leaderstarter.election.spi.LeaseKey;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.Moment;
import io.leaderstarter.election.spi.StoreListener;
import io.leaderstarter.election.spi.TermGate;
import io.leaderstarter.election.spi.TimeSource;
import io.leaderstarter.election.state.Candidacy;
import io.leaderstarter.election.state.LeaseTiming;
import org.jspecify.annotations.Nullable;

/**
 * All requests of this member to the store, made by one thread: it keeps the leases of
 * roles that are held, seeks others, and tells and reads who lives.
 */
final class MemberWork {

	/** What a thread that is not scheduled for a while is waited for at least. */
	private static final Duration LEAST_PATIENCE = Duration.ofSeconds(2);

	private final ElectionSettings settings;

	private final TimeSource time;

	private final Candidature candidature;

	private final LeaseKeeper keeper;

	private final RoleSeeker seeker;

	private final Membership membership;

	private final Worker requests = new Worker("leader-requests", this::step);

	MemberWork(Supplier<Member> member, LeaseStore store, TermGate gate, ElectionSettings settings, TimeSource time,
			Roles roles, Candidature candidature, Dispatcher dispatcher, StoreMonitor monitor) {
		LeaseTiming timing = settings.timing();
		Supplier<String> id = () -> member.get().id();
		this.settings = settings;
		this.time = time;
		this.candidature = candidature;
		this.keeper = new LeaseKeeper(store, timing, time, monitor, roles::all);
		this.membership = new Membership(store, time, monitor, settings, candidature, roles);
		Clearance clearance = new Clearance(gate, dispatcher::runGate, time, timing.ttl(), (role, reason) -> {
			monitor.blocked(role, reason);
			// It waits until the next poll otherwise.
			wake();
		}, this::lookNow);
		this.seeker = new RoleSeeker(store, timing, time, monitor, id, roles::all, candidature::standsFor,
				roles::forget, this.keeper, this.membership.preferences(),
				new RoleTaker(store, timing, time, id, this.keeper), clearance);
		store.setListener(new StoreListener() {

			@Override
			public void onMaybeFree() {
				lookNow();
			}

			@Override
			public void onClockStep(Duration by) {
				MemberWork.this.seeker.clockWasSet();
				monitor.clockStepped(by);
			}

		});
	}

	void start() {
		this.requests.start();
	}

	/**
	 * Ends the thread after the request that it is at, and releases what was granted at
	 * the last moment.
	 */
	void stop() {
		Duration patience = this.settings.timing().requestTimeout();
		if (this.requests.stop((patience.compareTo(LEAST_PATIENCE) > 0) ? patience : LEAST_PATIENCE)) {
			this.keeper.work(this.time.now());
			this.membership.withdraw(this.time.now());
		}
	}

	/** Has all roles looked at that this member does not hold. */
	void lookNow() {
		this.seeker.lookNow();
		this.requests.wake();
	}

	/** There may be something to do. */
	void wake() {
		this.requests.wake();
	}

	void release(LeaseKey lease) {
		this.keeper.release(lease);
		this.requests.wake();
	}

	@Nullable Candidacy candidacy(String role) {
		return this.seeker.candidacy(role);
	}

	Collection<Member> members() {
		return this.membership.members();
	}

	List<Candidate> candidates(String role) {
		return this.membership.candidates(role);
	}

	/**
	 * Makes at most one request, so that a renewal never waits for more than one other.
	 */
	private Duration step() {
		Moment now = this.time.now();
		boolean standing = this.candidature.hasBegun();
		boolean listed = standing && this.membership.isFirst();
		if (this.keeper.work(now) || (listed && this.membership.work(now)) || this.seeker.work(now)
				|| (standing && this.membership.work(now))) {
			return Duration.ZERO;
		}
		Moment end = this.time.now();
		Duration least = standing ? this.membership.untilNext(end) : this.seeker.untilNext(end);
		for (Duration next : List.of(this.keeper.untilNext(end), this.seeker.untilNext(end))) {
			least = (next.compareTo(least) < 0) ? next : least;
		}
		return least;
	}

}
