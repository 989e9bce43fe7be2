package io.leaderstarter.election;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.leaderstarter.RevocationReason;
import io.leaderstarter.election.membership.Preferences;
import io.leaderstarter.election.spi.Moment;
import io.leaderstarter.election.state.RoleInput;
import io.leaderstarter.election.state.RoleState.Phase;

/**
 * Hands roles over to members that are preferred for them, a few at a time.
 * <p>
 * Members may disagree on who is preferred, and one that is preferred may not be able to
 * lead. So a role that was handed over is not handed over again by this member for a
 * while, whichever member leads it meanwhile: it moves once for each member in that time
 * at the most.
 */
final class Rebalancer {

	/** Of the roles that this member leads one in so many may be on its way at a time. */
	private static final int SHARE = 10;

	/**
	 * A member counts as stable when it was listed so often in a row. By then all others
	 * know of it too, and let it come first.
	 */
	private static final int TIMES_LISTED = 3;

	/**
	 * How long a role is kept that was taken. A member that crashed is no longer listed
	 * by then, so what it led is not handed over to it.
	 */
	private static final int TTLS_KEPT = 3;

	private static final int TTLS_UNTIL_NEXT = 10;

	/** How often a role may be passed over because calls run. */
	private static final int PATIENCE = 10;

	private final Preferences preferences;

	private final Duration ttl;

	private final Duration coolDown;

	private final Duration kept;

	private final Map<String, Moment> handedOver = new HashMap<>();

	/** How often in a row a role was passed over. */
	private final Map<String, Integer> passedOver = new HashMap<>();

	/**
	 * Create a new rebalancer.
	 * @param preferences decide which candidate should lead
	 * @param ttl of a lease
	 */
	Rebalancer(Preferences preferences, Duration ttl) {
		this.preferences = preferences;
		this.ttl = ttl;
		this.coolDown = ttl.multipliedBy(TTLS_UNTIL_NEXT);
		this.kept = ttl.multipliedBy(TTLS_KEPT);
	}

	/**
	 * Begin to leave the roles that are to be handed over. Does not wait until they are
	 * left.
	 * @param elections all that this member takes part in
	 * @param now the present moment
	 */
	void rebalance(Collection<RoleElection> elections, Moment now) {
		this.handedOver.values().removeIf((at) -> now.since(at).compareTo(this.coolDown) >= 0);
		List<RoleElection> led = new ArrayList<>();
		int leaving = 0;
		for (RoleElection election : elections) {
			Phase phase = election.state().phase();
			if (phase == Phase.LEADER) {
				led.add(election);
			}
			else if (phase == Phase.LEAVING || phase == Phase.RELEASING) {
				leaving++;
			}
		}
		int room = Math.max(1, led.size() / SHARE) - leaving;
		for (RoleElection election : led) {
			if (!isToGo(election, now)) {
				this.passedOver.remove(election.role());
			}
			else if (room > 0 && hasTime(election)) {
				room--;
				this.passedOver.remove(election.role());
				this.handedOver.put(election.role(), now);
				election.backOff(this.ttl.dividedBy(3));
				election.apply(new RoleInput.Leave(RevocationReason.REBALANCED));
			}
		}
	}

	private boolean isToGo(RoleElection election, Moment now) {
		Moment since = election.terms().phaseSince();
		return election.participation().isJoined() && since != null && now.since(since).compareTo(this.kept) >= 0
				&& !this.handedOver.containsKey(election.role())
				&& this.preferences.isAnotherFirst(election.role(), TIMES_LISTED);
	}

	/**
	 * Calls may take longer than the drain time-out, and then their work is lost. For a
	 * mere preference that is done only if a role is never seen without a call.
	 */
	private boolean hasTime(RoleElection election) {
		return election.calls().areOver() || this.passedOver.merge(election.role(), 1, Integer::sum) > PATIENCE;
	}

}
