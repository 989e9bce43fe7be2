package io.leaderstarter.election.membership;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import io.leaderstarter.election.spi.Moment;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the roles to hand over to members that are preferred for them, a few at a time.
 * <p>
 * Members may disagree on who is preferred, and one that is preferred may not be able to
 * lead. So a role that was handed over is not handed over again by this member for a
 * while, whichever member leads it meanwhile: it moves once for each member in that time
 * at the most.
 * <p>
 * Internal: not for applications.
 *
 * @since 0.1.0
 */
public final class Rebalancer {

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
	public Rebalancer(Preferences preferences, Duration ttl) {
		this.preferences = preferences;
		this.coolDown = ttl.multipliedBy(TTLS_UNTIL_NEXT);
		this.kept = ttl.multipliedBy(TTLS_KEPT);
	}

	/**
	 * Choose the roles to hand over now.
	 * @param led the roles that this member leads
	 * @param leaving how many others it is giving up
	 * @param now the present moment
	 * @return names of roles that were led
	 */
	public Set<String> choose(Collection<LedRole> led, int leaving, Moment now) {
		this.handedOver.values().removeIf((at) -> now.since(at).compareTo(this.coolDown) >= 0);
		int room = Math.max(1, led.size() / SHARE) - leaving;
		Set<String> chosen = new HashSet<>();
		for (LedRole role : led) {
			if (!isToGo(role, now)) {
				this.passedOver.remove(role.name());
			}
			else if (chosen.size() < room && hasTime(role)) {
				this.passedOver.remove(role.name());
				this.handedOver.put(role.name(), now);
				chosen.add(role.name());
			}
		}
		return chosen;
	}

	private boolean isToGo(LedRole role, Moment now) {
		Moment since = role.since();
		return role.joined() && since != null && now.since(since).compareTo(this.kept) >= 0
				&& !this.handedOver.containsKey(role.name())
				&& this.preferences.isAnotherFirst(role.name(), TIMES_LISTED);
	}

	/**
	 * Call may take longer than the drain time-out, and then their work is lost. For a
	 * mere preference that is done only if a role is never seen without a call.
	 */
	private boolean hasTime(LedRole role) {
		return role.idle() || this.passedOver.merge(role.name(), 1, Integer::sum) > PATIENCE;
	}

	/**
	 * A role that this member leads.
	 *
	 * @param name the role
	 * @param joined whether the application joined it, and does not only wait for it
	 * @param idle whether no call runs under its term
	 * @param since when the term began, {@code null} if that is not known
	 */
	public record LedRole(String name, boolean joined, boolean idle, @Nullable Moment since) {
	}

}
