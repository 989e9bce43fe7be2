package io.leaderstarter.election;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.leaderstarter.Leadership;
import io.leaderstarter.election.spi.Attempt;
import io.leaderstarter.election.spi.LeaseKey;
import io.leaderstarter.election.spi.LeaseRequest;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.LeaseView;
import io.leaderstarter.election.spi.Moment;
import io.leaderstarter.election.spi.TimeSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the roles that this member does not hold, all in one request, and tries to
 * take those that it may.
 */
final class RoleSeeker {

	private static final Log logger = LogFactory.getLog(RoleSeeker.class);

	private static final int MOST_AT_ONCE = 1000;

	private final LeaseStore store;

	private final LeaseTiming timing;

	private final TimeSource time;

	private final StoreMonitor monitor;

	private final String member;

	private final Supplier<? extends Collection<RoleElection>> elections;

	private final Predicate<RoleElection> standing;

	private final LeaseKeeper keeper;

	private final Backoff backoff;

	private final Map<String, Moment> nextLooks = new HashMap<>();

	private volatile boolean lookNow;

	private volatile @Nullable Moment clockSetAt;

	/** Read by other threads, to show who leads. */
	private final ConcurrentMap<String, Candidacy> candidacies = new ConcurrentHashMap<>();

	/** What the last look found to be takeable. */
	private final Map<String, Takeable> takeable = new HashMap<>();

	/** Requests whose answer never came. The role may be ours without our knowing. */
	private final Map<String, Unanswered> unanswered = new HashMap<>();

	/** Leases that were not meant, as they were seen when they were last released. */
	private final Map<String, LeaseKey> disowned = new HashMap<>();

	/** Roles whose epoch leaves no next one, so that it is said once. */
	private final Set<String> withoutNextEpoch = new HashSet<>();

	RoleSeeker(LeaseStore store, LeaseTiming timing, TimeSource time, StoreMonitor monitor, String member,
			Supplier<? extends Collection<RoleElection>> elections, Predicate<RoleElection> standing,
			LeaseKeeper keeper) {
		this.store = store;
		this.timing = timing;
		this.time = time;
		this.monitor = monitor;
		this.member = member;
		this.elections = elections;
		this.standing = standing;
		this.keeper = keeper;
		Duration poll = store.pollInterval();
		this.backoff = new Backoff((poll.compareTo(timing.renewInterval()) > 0) ? poll : timing.renewInterval());
	}

	/**
	 * Makes one request if there is one to make.
	 * @return whether there was one
	 */
	boolean work(Moment now) {
		if (!this.takeable.isEmpty()) {
			return acquire();
		}
		if (this.lookNow) {
			this.lookNow = false;
			this.nextLooks.clear();
		}
		List<String> due = due(now);
		if (!due.isEmpty()) {
			observe(due, now);
			return true;
		}
		return false;
	}

	Duration untilNext(Moment now) {
		Duration least = this.store.pollInterval();
		for (RoleElection election : this.elections.get()) {
			Moment next = this.nextLooks.get(election.role());
			if (next != null && election.state() instanceof RoleState.Follower) {
				Duration left = next.since(now);
				least = (left.compareTo(least) < 0) ? left : least;
			}
		}
		return least;
	}

	/**
	 * Makes the next look come at once. May be called by any thread.
	 */
	void lookNow() {
		this.lookNow = true;
	}

	/**
	 * Remembers that the clock of the store was set: what it said of remaining times
	 * until now may not be believed. May be called by any thread.
	 */
	void clockWasSet() {
		this.clockSetAt = this.time.now();
	}

	@Nullable Candidacy candidacy(String role) {
		return this.candidacies.get(role);
	}

	/**
	 * Roles to look at now. If one is due, those that are soon due come along, so that
	 * there is one request for all of them.
	 */
	private List<String> due(Moment now) {
		Moment soon = now.plus(this.store.pollInterval().dividedBy(4));
		List<String> due = new ArrayList<>();
		boolean any = false;
		for (RoleElection election : this.elections.get()) {
			if (!(election.state() instanceof RoleState.Follower)) {
				// Look at once when the term has ended, whenever that is.
				this.nextLooks.remove(election.role());
				continue;
			}
			Moment next = this.nextLooks.get(election.role());
			if (next == null || soon.nanos() - next.nanos() >= 0) {
				due.add(election.role());
				any = any || next == null || now.nanos() - next.nanos() >= 0;
			}
		}
		return any ? due : List.of();
	}

	private void observe(List<String> roles, Moment sent) {
		try {
			List<LeaseView> views = this.store.observe(roles, new Attempt(sent, this.timing.requestTimeout()));
			Moment now = this.time.now();
			roles.forEach((role) -> lookAgain(role, this.store.pollInterval()));
			views.forEach((view) -> seen(view, now));
			this.backoff.succeeded();
			this.monitor.answered();
		}
		catch (RuntimeException ex) {
			failed("observe", roles, ex);
		}
	}

	private void seen(LeaseView view, Moment now) {
		Candidacy.Outlook outlook = this.candidacies
			.computeIfAbsent(view.role(), (role) -> new Candidacy(this.timing.ttl()))
			.look(view, now, this.clockSetAt);
		LeaseView.Owner owner = view.owner();
		Unanswered unanswered = this.unanswered.remove(view.role());
		LeaseKey own = (owner != null && owner.member().equals(this.member))
				? new LeaseKey(view.role(), view.epoch(), owner.tenure()) : null;
		if (own != null && unanswered != null && unanswered.isGrant(own, now)) {
			granted(unanswered.election(), own, unanswered.sent());
		}
		else if (own != null && !own.equals(this.disowned.put(view.role(), own))) {
			// Held by us but not meant: its grant came too late or not at all, or it
			// could not be released. If that does not free it either, it is waited for
			// like anybody's.
			this.keeper.release(own);
			lookAgain(view.role(), Duration.ZERO);
		}
		else if (!hasNextEpoch(view)) {
			return;
		}
		else if (outlook.isNow()) {
			this.takeable.put(view.role(), new Takeable(view.epoch(), outlook.unrenewedMark()));
		}
		else if (outlook.delay() != null && outlook.delay().compareTo(this.store.pollInterval()) < 0) {
			lookAgain(view.role(), outlook.delay().plus(spread()));
		}
	}

	/**
	 * Whether a next term could have a number. No election writes an epoch that has no
	 * next one, and to guess another could give one out again, so a person has to decide.
	 * Until then nobody stands for the role, and requests for others go without it: in a
	 * store, one that fails can make all fail that were sent with it.
	 */
	private boolean hasNextEpoch(LeaseView view) {
		if (view.epoch() >= 0 && view.epoch() < Long.MAX_VALUE) {
			this.withoutNextEpoch.remove(view.role());
			return true;
		}
		if (this.withoutNextEpoch.add(view.role())) {
			logger.error(("The role '%s' has the epoch %d in the %s backend, which was not written by an election. "
					+ "Nobody can stand for it. Set the epoch there to one that is higher than all that were given out")
				.formatted(view.role(), view.epoch(), this.store.name()));
		}
		return false;
	}

	/**
	 * Asks for what is takeable, as much as fits into one request. The rest has its turn
	 * after the renewals that are due meanwhile.
	 */
	private boolean acquire() {
		Map<LeaseRequest, RoleElection> asked = new LinkedHashMap<>();
		Moment sent = this.time.now();
		for (RoleElection election : this.elections.get()) {
			Takeable role = (asked.size() < MOST_AT_ONCE) ? this.takeable.remove(election.role()) : null;
			if (role != null && this.standing.test(election) && election.mayStand(sent)) {
				asked.put(new LeaseRequest(election.role(), role.epoch(), UUID.randomUUID().toString(),
						role.unrenewedMark()), election);
			}
		}
		if (asked.isEmpty()) {
			return false;
		}
		try {
			Set<LeaseKey> granted = this.store.acquire(List.copyOf(asked.keySet()),
					new Attempt(sent, this.timing.requestTimeout()));
			asked.forEach((request, election) -> {
				if (granted.contains(request.key())) {
					granted(election, request.key(), sent);
				}
			});
			this.backoff.succeeded();
			this.monitor.answered();
		}
		catch (RuntimeException ex) {
			// Some may have been granted; the next look tells.
			Deadline deadline = this.timing.deadline(sent);
			asked.forEach((request, election) -> this.unanswered.put(request.role(),
					new Unanswered(election, request.key(), sent, deadline)));
			failed("acquire", asked.keySet().stream().map(LeaseRequest::role).toList(), ex);
		}
		return true;
	}

	/**
	 * The term counts from when the request was sent, however late we hear of it.
	 */
	private void granted(RoleElection election, LeaseKey lease, Moment sent) {
		this.keeper.granted(sent);
		Leadership leadership = new Leadership(lease.role(), lease.epoch(), lease.tenure(), this.member,
				Instant.ofEpochMilli(this.time.currentTimeMillis()));
		election.apply(new RoleInput.Granted(leadership, this.timing.deadline(sent)));
	}

	private void failed(String request, Collection<String> roles, RuntimeException ex) {
		Duration delay = this.backoff.failed();
		roles.forEach((role) -> lookAgain(role, delay));
		this.monitor.failed(request, ex);
	}

	private void lookAgain(String role, Duration delay) {
		this.nextLooks.put(role, this.time.now().plus(delay));
	}

	/** A short random time, so that candidates do not all ask at the same instant. */
	private Duration spread() {
		return Duration
			.ofNanos((long) (Math.random() * Math.min(this.store.pollInterval().toNanos() / 10, 20_000_000)));
	}

	private record Takeable(long epoch, @Nullable Long unrenewedMark) {
	}

	private record Unanswered(RoleElection election, LeaseKey asked, Moment sent, Deadline deadline) {

		boolean isGrant(LeaseKey lease, Moment now) {
			return this.asked.equals(lease) && !this.deadline.hasPassed(now);
		}

	}

}
