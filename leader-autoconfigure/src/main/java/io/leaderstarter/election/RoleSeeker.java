package io.leaderstarter.election;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
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
import org.jspecify.annotations.Nullable;

/**
 * Looks at the roles that this member does not hold, all in one request, and tries to
 * take those that it may.
 */
final class RoleSeeker {

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

	/** Read by other threads, to show who leads. */
	private final ConcurrentMap<String, Candidacy> candidacies = new ConcurrentHashMap<>();

	/** What the last look found to be takeable, with the epoch that was seen. */
	private final Map<String, Long> takeable = new TreeMap<>();

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
		Duration wait = this.candidacies.computeIfAbsent(view.role(), (role) -> new Candidacy()).look(view, now);
		LeaseView.Owner owner = view.owner();
		if (owner != null && owner.member().equals(this.member)) {
			// Held by us but not meant: its grant came too late or not at all, or it
			// could
			// not be released.
			this.keeper.release(new LeaseKey(view.role(), view.epoch(), owner.tenure()));
			lookAgain(view.role(), Duration.ZERO);
		}
		else if (wait != null && wait.isZero()) {
			this.takeable.put(view.role(), view.epoch());
		}
		else if (wait != null && wait.compareTo(this.store.pollInterval()) < 0) {
			lookAgain(view.role(), wait.plus(spread()));
		}
	}

	private boolean acquire() {
		Map<String, RoleElection> candidates = new HashMap<>();
		List<LeaseRequest> requests = new ArrayList<>();
		Moment now = this.time.now();
		for (RoleElection election : this.elections.get()) {
			Long epoch = this.takeable.get(election.role());
			if (epoch != null && this.standing.test(election) && election.mayStand(now)) {
				candidates.put(election.role(), election);
				requests.add(new LeaseRequest(election.role(), epoch, UUID.randomUUID().toString()));
			}
		}
		this.takeable.clear();
		if (requests.isEmpty()) {
			return false;
		}
		Moment sent = this.time.now();
		try {
			Set<LeaseKey> granted = this.store.acquire(requests, new Attempt(sent, this.timing.requestTimeout()));
			Deadline deadline = this.timing.deadline(sent);
			Instant grantedAt = Instant.ofEpochMilli(this.time.currentTimeMillis());
			for (LeaseKey lease : granted) {
				RoleElection election = candidates.get(lease.role());
				if (election != null) {
					this.keeper.granted(sent);
					election.apply(new RoleInput.Granted(
							new Leadership(lease.role(), lease.epoch(), lease.tenure(), this.member, grantedAt),
							deadline));
				}
			}
			this.backoff.succeeded();
			this.monitor.answered();
		}
		catch (RuntimeException ex) {
			// Some may have been granted. They are not taken for ours: the next look
			// finds
			// them and frees them.
			failed("acquire", candidates.keySet(), ex);
		}
		return true;
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

}
