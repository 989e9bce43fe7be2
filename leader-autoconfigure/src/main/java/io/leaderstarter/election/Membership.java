package io.leaderstarter.election;

import java.time.Duration;

import io.leaderstarter.election.membership.MemberCard;
import io.leaderstarter.election.membership.Placement;
import io.leaderstarter.election.membership.Preferences;
import io.leaderstarter.election.membership.Roster;
import io.leaderstarter.election.spi.Attempt;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.Moment;
import io.leaderstarter.election.spi.Presence;
import org.jspecify.annotations.Nullable;

/**
 * Announces this member to the others once per ttl, lists them, and hands roles over to
 * those that are preferred.
 * <p>
 * Nothing of this is needed to lead: a member that cannot list the others competes as if
 * it were alone. So a failure is reported, and changes nothing else.
 */
final class Membership {

	/** Intervals are longer than the ttl by up to this share, so members spread out. */
	private static final double JITTER = 0.1;

	private static final Duration WITHDRAWAL_TIMEOUT = Duration.ofSeconds(1);

	private final LeaseStore store;

	private final ElectionContext context;

	private final Competition competition;

	private final Roster roster;

	private final Preferences preferences;

	private final @Nullable Rebalancer rebalancer;

	private boolean announced;

	private @Nullable Moment next;

	Membership(ElectionContext context, LeaseStore store, Competition competition) {
		this.context = context;
		this.store = store;
		this.competition = competition;
		ElectionSettings settings = context.settings();
		Duration ttl = context.timing().ttl();
		this.roster = new Roster(context.time(), ttl);
		this.preferences = new Preferences(this.roster::entries, settings.placement(),
				(role) -> settings.of(role).priority(), competition.member().id(), ttl, store::pollInterval);
		this.rebalancer = (settings.placement() == Placement.SPREAD) ? new Rebalancer(this.preferences, ttl) : null;
	}

	Preferences preferences() {
		return this.preferences;
	}

	/** Whether the members have to be listed before any role is taken. */
	boolean isFirst() {
		return this.next == null;
	}

	/**
	 * Make one request if there is one to make.
	 * @return whether there was one
	 */
	boolean work(Moment now) {
		Moment planned = this.next;
		if (planned != null && now.nanos() - planned.nanos() < 0) {
			return false;
		}
		this.next = now.plus(this.context.jitter(this.context.timing().ttl(), 1, 1 + JITTER));
		try {
			MemberCard card = this.competition.card();
			// Even if the answer is lost.
			this.announced = true;
			this.roster.update(this.store.announce(new Presence(card.member().id(), card.write()),
					new Attempt(now, this.context.timing().requestTimeout())));
			this.context.monitor().announced(now, null);
			if (this.rebalancer != null && !this.competition.isOver()) {
				this.rebalancer.rebalance(this.context.roles().all(), now);
			}
		}
		catch (RuntimeException ex) {
			this.context.monitor().announced(now, ex);
		}
		return true;
	}

	Duration untilNext(Moment now) {
		Moment planned = this.next;
		return (planned != null) ? planned.since(now) : Duration.ZERO;
	}

	/**
	 * Withdraw this member, if it may be listed. One short attempt, and only if the store
	 * answers: others notice by themselves a little later, and a shutdown must not wait.
	 */
	void withdraw(Moment now) {
		this.next = null;
		this.roster.clear();
		if (this.announced && this.context.monitor().status().isReachable()) {
			this.announced = false;
			Duration timeout = this.context.timing().requestTimeout();
			try {
				this.store.withdraw(
						new Attempt(now, (timeout.compareTo(WITHDRAWAL_TIMEOUT) < 0) ? timeout : WITHDRAWAL_TIMEOUT));
			}
			catch (RuntimeException ex) {
				this.context.monitor().announced(now, ex);
			}
		}
	}

	Roster roster() {
		return this.roster;
	}

}
