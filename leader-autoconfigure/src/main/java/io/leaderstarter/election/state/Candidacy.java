package io.leaderstarter.election.state;

import java.time.Duration;

import io.leaderstarter.election.spi.LeaseView;
import io.leaderstarter.election.spi.Moment;
import org.jspecify.annotations.Nullable;

/**
 * What a member has seen of one role, and when it may take the role.
 * <p>
 * A store that decides by its own clock can be wrong. If that clock is set forward, a
 * lease seems expired while its holder still relies on it. So a lease that is not free is
 * taken only if it was seen, not renewed, for its remaining time on our clock too. The
 * one exception is the very first poll: what has expired by then is taken at once, or
 * every start of a cluster would wait for a ttl. A remaining time that is positive can be
 * wrong in the same way: if the clock was set since the poll before, a lease that was
 * renewed since then is waited for all its time. If the clock is set back, or a row holds
 * garbage, a lease seems to last for long. It is over all the same once it was seen, not
 * renewed, for its whole ttl on our clock.
 * <p>
 * Internal: not for applications.
 *
 * @since 0.1.0
 */
public final class Candidacy {

	/** This member's clock may run faster than the holder's by this share. */
	private static final double DRIFT = 0.001;

	/** No member asks for a longer lease; it is a row with garbage in it. */
	private static final Duration LONGEST_TTL = Duration.ofDays(1);

	private final Duration ownTtl;

	private @Nullable LeaseView seen;

	private @Nullable Moment seenAt;

	/** When the lease was first seen as it is now. */
	private @Nullable Moment watchedSince;

	/**
	 * When it has run out by our clock, by the remaining time that the store returned
	 * first.
	 */
	private @Nullable Moment runsOutAt;

	/** When it was first seen that the role can be taken. */
	private @Nullable Moment vacantSince;

	/** Who was seen to hold it last. */
	private @Nullable String owner;

	private long ownerEpoch;

	public Candidacy(Duration ownTtl) {
		this.ownTtl = ownTtl;
	}

	/**
	 * Take a new observation into account.
	 * @param view what was seen
	 * @param now when it was seen
	 * @param clockSetAt when it was last noticed that the store's clock was set,
	 * {@code null} if it never was
	 */
	public Outlook observe(LeaseView view, Moment now, @Nullable Moment clockSetAt) {
		Outlook outlook = judge(view, now, clockSetAt);
		if (view.owner() != null) {
			this.owner = view.owner().member();
			this.ownerEpoch = view.epoch();
		}
		if (!outlook.isNow()) {
			this.vacantSince = null;
		}
		else if (this.vacantSince == null) {
			this.vacantSince = now;
		}
		return outlook;
	}

	private Outlook judge(LeaseView view, Moment now, @Nullable Moment clockSetAt) {
		LeaseView before = this.seen;
		boolean clockKept = clockSetAt == null || this.seenAt == null || this.seenAt.nanos() - clockSetAt.nanos() > 0;
		this.seen = view;
		this.seenAt = now;
		LeaseView.Owner owner = view.owner();
		LeaseView.Expiry expiry = (owner != null) ? owner.expiry() : null;
		if (expiry == null) {
			this.watchedSince = null;
			return (owner == null) ? Outlook.NOW : Outlook.WHEN_NOTIFIED;
		}
		Duration remaining = shorter(expiry.remaining(), LONGEST_TTL);
		Moment since = this.watchedSince;
		Moment runsOut = this.runsOutAt;
		if (since == null || runsOut == null || before == null || !isSameLease(before, view)) {
			boolean trusted = before == null || (isPositive(remaining) && clockKept);
			since = now;
			runsOut = now.plus(trusted ? longer(remaining, Duration.ZERO) : ttl(expiry));
			this.watchedSince = since;
			this.runsOutAt = runsOut;
		}
		Duration byOurs = ttl(expiry).minus(now.since(since));
		if (!isPositive(byOurs) && isPositive(remaining)) {
			return Outlook.OVER;
		}
		Duration byBoth = longer(runsOut.since(now), remaining);
		return new Outlook(longer(shorter(byBoth, byOurs), Duration.ZERO), false);
	}

	public @Nullable Moment vacantSince() {
		return this.vacantSince;
	}

	/**
	 * Return who held the last lease, {@code null} if that was not seen.
	 */
	public @Nullable String formerOwner() {
		return (this.seen != null && this.seen.epoch() == this.ownerEpoch) ? this.owner : null;
	}

	public @Nullable LeaseView seen() {
		return this.seen;
	}

	public @Nullable Moment seenAt() {
		return this.seenAt;
	}

	private Duration ttl(LeaseView.Expiry expiry) {
		Duration ttl = expiry.ttl();
		ttl = isPositive(ttl) ? shorter(ttl, LONGEST_TTL) : this.ownTtl;
		return ttl.plusNanos((long) Math.ceil(ttl.toNanos() * DRIFT));
	}

	private static boolean isSameLease(LeaseView before, LeaseView after) {
		return before.epoch() == after.epoch() && before.owner() != null && after.owner() != null
				&& before.owner().termId().equals(after.owner().termId()) && before.owner().expiry() != null
				&& after.owner().expiry() != null && before.owner().expiry().mark() == after.owner().expiry().mark();
	}

	private static boolean isPositive(Duration duration) {
		return duration.compareTo(Duration.ZERO) > 0;
	}

	private static Duration shorter(Duration one, Duration other) {
		return (one.compareTo(other) < 0) ? one : other;
	}

	private static Duration longer(Duration one, Duration other) {
		return (one.compareTo(other) > 0) ? one : other;
	}

	/**
	 * When a role may be taken.
	 *
	 * @param delay how long to wait; zero for now, {@code null} if the store will notify
	 * @param over whether the lease is over although it is not by the store's clock
	 */
	public record Outlook(@Nullable Duration delay, boolean over) {

		public static final Outlook NOW = new Outlook(Duration.ZERO, false);

		public static final Outlook OVER = new Outlook(Duration.ZERO, true);

		public static final Outlook WHEN_NOTIFIED = new Outlook(null, false);

		public boolean isNow() {
			return this.delay != null && this.delay.isZero();
		}

	}

}
