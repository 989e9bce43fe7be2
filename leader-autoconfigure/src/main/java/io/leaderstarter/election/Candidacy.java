package io.leaderstarter.election;

import java.time.Duration;

import io.leaderstarter.election.spi.LeaseView;
import io.leaderstarter.election.spi.Moment;
import org.jspecify.annotations.Nullable;

/**
 * What a member has seen of one role, and when it may take the role.
 * <p>
 * A store that tells time by a clock of its own can be wrong: if its clock is set
 * forward, a lease looks expired while its holder still relies on it. So a lease that is
 * not free is taken only if the same lease, not renewed, was seen for its remaining time
 * on our clock too. The one exception is the very first look: what has expired by then is
 * taken at once, or every start of a cluster would wait for a ttl.
 */
final class Candidacy {

	private @Nullable LeaseView seen;

	private @Nullable Moment seenAt;

	private @Nullable Moment takeableAt;

	/**
	 * Takes a new look into account.
	 * @return how long to wait until the role may be taken; zero for now, {@code null} if
	 * the store will tell
	 */
	@Nullable Duration look(LeaseView view, Moment now) {
		LeaseView before = this.seen;
		this.seen = view;
		this.seenAt = now;
		LeaseView.Owner owner = view.owner();
		if (owner == null) {
			this.takeableAt = null;
			return Duration.ZERO;
		}
		LeaseView.Expiry expiry = owner.expiry();
		if (expiry == null) {
			this.takeableAt = null;
			return null;
		}
		Moment takeable = this.takeableAt;
		if (takeable == null || before == null || !isSameLease(before, view)) {
			boolean trusted = before == null || expiry.remaining().compareTo(Duration.ZERO) > 0;
			takeable = now.plus(trusted ? atLeastZero(expiry.remaining()) : expiry.ttl());
			this.takeableAt = takeable;
		}
		Duration byOurClock = atLeastZero(takeable.since(now));
		Duration byTheirs = atLeastZero(expiry.remaining());
		return (byOurClock.compareTo(byTheirs) > 0) ? byOurClock : byTheirs;
	}

	@Nullable LeaseView seen() {
		return this.seen;
	}

	@Nullable Moment seenAt() {
		return this.seenAt;
	}

	private static boolean isSameLease(LeaseView before, LeaseView after) {
		return before.epoch() == after.epoch() && before.owner() != null && after.owner() != null
				&& before.owner().tenure().equals(after.owner().tenure()) && before.owner().expiry() != null
				&& after.owner().expiry() != null && before.owner().expiry().mark() == after.owner().expiry().mark();
	}

	private static Duration atLeastZero(Duration duration) {
		return duration.isNegative() ? Duration.ZERO : duration;
	}

}
