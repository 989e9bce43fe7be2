package io.leaderstarter.election;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.leaderstarter.election.spi.Attempt;
import io.leaderstarter.election.spi.LeaseKey;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.Moment;
import io.leaderstarter.election.spi.Renewal;
import io.leaderstarter.election.state.Backoff;
import io.leaderstarter.election.state.Deadline;
import io.leaderstarter.election.state.LeaseTiming;
import io.leaderstarter.election.state.RoleInput;
import io.leaderstarter.election.state.RoleState;
import org.jspecify.annotations.Nullable;

/**
 * Renews the leases that this member intends to keep, all in one request, and releases
 * those that it does not.
 * <p>
 * Only intended leases are renewed. To renew all leases under this member's id would keep
 * orphaned ones alive for ever, such as a lease whose grant was never answered.
 */
final class LeaseKeeper {

	/** Renewals come up to this share of the interval earlier, so members spread out. */
	private static final double JITTER = 0.2;

	private final ElectionContext context;

	private final LeaseTiming timing;

	private final LeaseStore store;

	private final Queue<LeaseKey> releases = new ConcurrentLinkedQueue<>();

	private final Backoff backoff;

	/** By role the orphaned lease that was released last. */
	private final Map<String, Orphan> orphans = new HashMap<>();

	private @Nullable Moment nextRenewal;

	LeaseKeeper(ElectionContext context, LeaseStore store) {
		this.context = context;
		this.timing = context.timing();
		this.store = store;
		this.backoff = new Backoff(this.timing.renewInterval());
	}

	/**
	 * Create one request if there is one to make.
	 * @return whether there was one
	 */
	boolean work(Moment now) {
		if (isDue(now)) {
			Map<LeaseKey, RoleElection> intended = intended();
			if (!intended.isEmpty()) {
				renew(intended, now);
				return true;
			}
			this.nextRenewal = null;
		}
		List<LeaseKey> released = nextReleases();
		if (!released.isEmpty()) {
			release(released, now);
			return true;
		}
		return false;
	}

	Duration untilNext(Moment now) {
		Moment next = this.nextRenewal;
		return (next != null) ? next.since(now) : this.timing.renewInterval();
	}

	/** Called when a lease was granted that was counted from the given moment. */
	void granted(Moment countedFrom) {
		Moment renewal = next(countedFrom);
		Moment planned = this.nextRenewal;
		if (planned == null || renewal.nanos() - planned.nanos() < 0) {
			this.nextRenewal = renewal;
		}
	}

	/** May be called by any thread. */
	void release(LeaseKey lease) {
		this.releases.add(lease);
	}

	/**
	 * Do not release a lease.
	 * @return whether it was to be released
	 */
	boolean abandonRelease(LeaseKey lease) {
		return this.releases.remove(lease);
	}

	/** Let leases run out that are still to be released, so that their terms end. */
	void abandonReleases() {
		released(nextReleases());
	}

	/**
	 * Release a lease under the id of this member that no term of it owns: the grant came
	 * too late or was never answered, or the release failed. If that does not free it, it
	 * is released again after a while.
	 * @return whether it was seen for the first time
	 */
	boolean releaseOrphaned(LeaseKey lease, Moment now) {
		Orphan before = this.orphans.get(lease.role());
		boolean first = before == null || !before.lease().equals(lease);
		if (before == null || first || now.since(before.at()).compareTo(this.timing.renewInterval()) >= 0) {
			this.orphans.put(lease.role(), new Orphan(lease, now));
			release(lease);
		}
		return first;
	}

	private boolean isDue(Moment now) {
		Moment next = this.nextRenewal;
		return next != null && now.nanos() - next.nanos() >= 0;
	}

	private Map<LeaseKey, RoleElection> intended() {
		Map<LeaseKey, RoleElection> intended = new LinkedHashMap<>();
		for (RoleElection election : this.context.roles().all()) {
			LeaseKey lease = election.terms().intendedLease();
			if (lease != null) {
				intended.put(lease, election);
			}
		}
		return intended;
	}

	private void renew(Map<LeaseKey, RoleElection> intended, Moment now) {
		try {
			Renewal renewal = this.store.renew(intended.keySet(), new Attempt(now, timeLeft(intended, now)));
			Duration left = shortest(intended, this.context.time().now());
			Deadline deadline = this.timing.deadline(renewal.countedFrom());
			intended.forEach((lease, election) -> election.apply(renewal.renewed().contains(lease)
					? new RoleInput.Renewed(lease.termId(), deadline) : new RoleInput.RenewalRefused(lease.termId())));
			this.backoff.succeeded();
			this.nextRenewal = next(now);
			this.context.monitor().renewed(now, left);
		}
		catch (RuntimeException ex) {
			// Nothing is known, so nothing changes. If no try succeeds, the deadline ends
			// the
			// terms.
			this.nextRenewal = this.context.time().now().plus(this.backoff.failed());
			this.context.monitor().failed("renew", now, ex);
		}
	}

	/**
	 * An answer after the deadline is worth nothing, so no attempt is given longer.
	 */
	private Duration timeLeft(Map<LeaseKey, RoleElection> intended, Moment now) {
		long nanos = Math.min(this.timing.requestTimeout().toNanos(), shortest(intended, now).toNanos());
		return Duration.ofNanos(Math.max(nanos, Duration.ofMillis(1).toNanos()));
	}

	/**
	 * How long the first of the terms lasts without a renewal.
	 */
	private Duration shortest(Map<LeaseKey, RoleElection> intended, Moment now) {
		long nanos = this.timing.ttl().toNanos();
		for (RoleElection election : intended.values()) {
			if (election.state() instanceof RoleState.Holder holder) {
				nanos = Math.min(nanos, holder.deadline().nanosLeft(now));
			}
		}
		return Duration.ofNanos(nanos);
	}

	private void release(List<LeaseKey> leases, Moment now) {
		try {
			this.store.release(leases, new Attempt(now, this.timing.requestTimeout()));
			this.context.monitor().answered("release", now);
		}
		catch (RuntimeException ex) {
			// Not tried again: it runs out by itself, and is released when it is seen.
			this.context.monitor().failed("release", now, ex);
		}
		finally {
			released(leases);
		}
	}

	private List<LeaseKey> nextReleases() {
		List<LeaseKey> next = new ArrayList<>();
		for (LeaseKey lease = this.releases.poll(); lease != null; lease = this.releases.poll()) {
			next.add(lease);
		}
		return next;
	}

	private void released(List<LeaseKey> leases) {
		for (LeaseKey lease : leases) {
			RoleElection election = this.context.roles().find(lease.role());
			if (election != null) {
				election.apply(new RoleInput.Released(lease.termId()));
			}
		}
	}

	private Moment next(Moment from) {
		return from.plus(this.context.jitter(this.timing.renewInterval(), 1 - JITTER, 1));
	}

	private record Orphan(LeaseKey lease, Moment at) {
	}

}
