package io.leaderstarter.election;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

import io.leaderstarter.election.spi.Moment;
import io.leaderstarter.election.spi.TimeSource;
import io.leaderstarter.election.state.RoleState;

/**
 * When to poll each role next. Used by one thread.
 */
final class PollPlan {

	/**
	 * A member that does not take a free role polls again within this share of the ttl.
	 */
	private static final int LOSERS_POLL = 4;

	/**
	 * A lease that another member renews is seen this share of the ttl before it expires.
	 */
	private static final int LEAST_SEEN = 8;

	private final TimeSource time;

	private final Supplier<Duration> pollInterval;

	private final Map<String, Moment> next = new HashMap<>();

	/** Roles whose term was lost while a call of it still ran. */
	private final Set<String> lost = new HashSet<>();

	/**
	 * Create a plan.
	 * @param time the clocks
	 * @param pollInterval the longest time between two polls
	 */
	PollPlan(TimeSource time, Supplier<Duration> pollInterval) {
		this.time = time;
		this.pollInterval = pollInterval;
	}

	/** All roles are to be polled now. */
	void clear() {
		this.next.clear();
	}

	void forget(String role) {
		this.next.remove(role);
	}

	/** Poll the role when the time has passed, whatever was planned. */
	void pollIn(String role, Duration delay) {
		this.next.put(role, this.time.now().plus(delay));
	}

	/**
	 * Poll the role when the time has passed, unless that was planned for earlier.
	 */
	void pollWithin(String role, Duration delay) {
		this.next.merge(role, this.time.now().plus(delay),
				(planned, wanted) -> (wanted.nanos() - planned.nanos() < 0) ? wanted : planned);
	}

	/**
	 * A request for a role was answered.
	 * @param role the role
	 * @param granted whether it was granted
	 * @param ttl the ttl of a lease
	 */
	void answered(String role, boolean granted, Duration ttl) {
		if (granted) {
			// The term may end before the next step, which then polls at once.
			forget(role);
			return;
		}
		// A store that refuses may want to be polled sooner than its last interval.
		pollSoon(role, ttl);
	}

	/**
	 * Poll a role soon that another member may take now, to see its lease while it lasts.
	 * @param role the role
	 * @param ttl the ttl of a lease
	 */
	void pollSoon(String role, Duration ttl) {
		Duration soon = ttl.dividedBy(LOSERS_POLL);
		Duration poll = this.pollInterval.get();
		pollWithin(role, (poll.compareTo(soon) < 0) ? poll : soon);
	}

	/**
	 * Poll a role that another member holds when its lease is over, or earlier: the lease
	 * may be renewed right after it was seen, and then has to be seen again while it
	 * lasts. One that has expired when it is first seen is waited for once more.
	 * @param role the role
	 * @param left the time until the lease is over as it was seen
	 * @param ttl the ttl of a lease
	 */
	void pollLease(String role, Duration left, Duration ttl) {
		Duration latest = ttl.minus(ttl.dividedBy(LEAST_SEEN));
		pollWithin(role, (left.compareTo(latest) < 0) ? left : latest);
	}

	/**
	 * Return the roles to poll now. If one is due, those that are soon due come along, so
	 * that there is one request for all of them.
	 */
	Map<String, RoleElection> due(Iterable<? extends RoleElection> elections, Moment now) {
		Moment soon = now.plus(this.pollInterval.get().dividedBy(4));
		Map<String, RoleElection> due = new LinkedHashMap<>();
		boolean any = false;
		for (RoleElection election : elections) {
			if (!isPolled(election)) {
				// Poll at once when the term has ended, whenever that is.
				forget(election.role());
				continue;
			}
			if (isLost(election)) {
				this.lost.add(election.role());
			}
			else if (this.lost.remove(election.role())) {
				// Its last call has ended, so this member may compete for it at once.
				forget(election.role());
			}
			Moment planned = this.next.get(election.role());
			if (planned == null || soon.nanos() - planned.nanos() >= 0) {
				due.put(election.role(), election);
				any = any || planned == null || now.nanos() - planned.nanos() >= 0;
			}
		}
		return any ? due : Map.of();
	}

	Duration untilNext(Iterable<? extends RoleElection> elections, Moment now) {
		Duration least = this.pollInterval.get();
		for (RoleElection election : elections) {
			Moment planned = this.next.get(election.role());
			if (planned != null && isPolled(election)) {
				Duration left = planned.since(now);
				least = (left.compareTo(least) < 0) ? left : least;
			}
		}
		return least;
	}

	/**
	 * Also a role whose term was lost while a call of it still runs: a store may keep the
	 * lease for as long as this process lives, and then no other member would ever lead.
	 */
	private static boolean isPolled(RoleElection election) {
		return election.isFollower() || isLost(election);
	}

	private static boolean isLost(RoleElection election) {
		return election.state().phase() == RoleState.Phase.LOST;
	}

}
