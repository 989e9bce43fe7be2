package io.leaderstarter.election;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import io.leaderstarter.election.spi.LeaseKey;
import io.leaderstarter.election.spi.Moment;

/**
 * Leases that are held by us but not meant, as they were seen when they were last
 * released: the grant came too late or not at all, or it could not be released.
 */
final class DisownedLeases {

	private final LeaseKeeper keeper;

	private final Duration again;

	private final Map<String, Disowned> known = new HashMap<>();

	DisownedLeases(LeaseKeeper keeper, Duration again) {
		this.keeper = keeper;
		this.again = again;
	}

	/**
	 * Releases a lease. If that does not free it, it is tried again after a while.
	 * @return whether it was seen for the first time
	 */
	boolean release(LeaseKey lease, Moment now) {
		Disowned before = this.known.get(lease.role());
		boolean first = before == null || !before.lease().equals(lease);
		if (before == null || first || now.since(before.at()).compareTo(this.again) >= 0) {
			this.known.put(lease.role(), new Disowned(lease, now));
			this.keeper.release(lease);
		}
		return first;
	}

	private record Disowned(LeaseKey lease, Moment at) {
	}

}
