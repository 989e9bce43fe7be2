package io.leaderstarter.election;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import io.leaderstarter.election.spi.LeaseKey;
import io.leaderstarter.election.spi.LeaseView;
import io.leaderstarter.election.spi.Moment;
import org.jspecify.annotations.Nullable;

/**
 * Leases under the id of this member that no term of it owns: the grant came too late or
 * was never answered, or the release failed.
 */
final class OrphanedLeases {

	private final LeaseKeeper keeper;

	private final String member;

	private final Duration retryInterval;

	private final Map<String, Released> released = new HashMap<>();

	OrphanedLeases(LeaseKeeper keeper, String member, Duration retryInterval) {
		this.keeper = keeper;
		this.member = member;
		this.retryInterval = retryInterval;
	}

	/** Return the lease that was seen, {@code null} if it is not under our id. */
	@Nullable LeaseKey find(LeaseView view) {
		LeaseView.Owner owner = view.owner();
		return (owner != null && owner.member().equals(this.member))
				? new LeaseKey(view.role(), view.epoch(), owner.termId()) : null;
	}

	/**
	 * Release a lease. If that does not free it, it is retried after a while.
	 * @return whether it was seen for the first time
	 */
	boolean release(LeaseKey lease, Moment now) {
		Released before = this.released.get(lease.role());
		boolean first = before == null || !before.lease().equals(lease);
		if (before == null || first || now.since(before.at()).compareTo(this.retryInterval) >= 0) {
			this.released.put(lease.role(), new Released(lease, now));
			this.keeper.release(lease);
		}
		return first;
	}

	private record Released(LeaseKey lease, Moment at) {
	}

}
