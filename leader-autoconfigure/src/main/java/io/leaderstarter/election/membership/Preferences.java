package io.leaderstarter.election.membership;

import java.time.Duration;
import java.util.Collection;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

import io.leaderstarter.election.spi.Moment;
import org.jspecify.annotations.Nullable;

/**
 * Knows which members should rather lead a role than this one, so that it lets them go
 * first. Members may know different lists, or none. So all that follows from it is a
 * short wait, and a member leads soon whatever the list contains.
 * <p>
 * Internal: not for applications.
 *
 * @since 0.1.0
 */
public final class Preferences {

	/** Who has so many before it is neither first nor second, and waits the longest. */
	private static final int THIRD = 2;

	private final Supplier<? extends Collection<Roster.Entry>> listed;

	private final Placement placement;

	private final ToIntFunction<String> priority;

	private final String member;

	private final long hash;

	private final Duration ttl;

	private final Supplier<Duration> pollInterval;

	/**
	 * Create the preferences.
	 * @param listed who lives, as far as this member knows
	 * @param placement how they are ordered
	 * @param priority that of this member for each role
	 * @param member id of this member
	 * @param ttl of a lease
	 * @param pollInterval how often members poll without a notification
	 */
	public Preferences(Supplier<? extends Collection<Roster.Entry>> listed, Placement placement,
			ToIntFunction<String> priority, String member, Duration ttl, Supplier<Duration> pollInterval) {
		this.listed = listed;
		this.placement = placement;
		this.priority = priority;
		this.member = member;
		this.hash = Rendezvous.hash(member);
		this.ttl = ttl;
		this.pollInterval = pollInterval;
	}

	/**
	 * Return how long this member still lets others go first: a third of the ttl at the
	 * most. Who comes second waits for half of that if others poll that often. The last
	 * leader is not waited for: it crashed, stopped, was paused, or gave the role away.
	 * @param role the role, which could be taken
	 * @param former id of the member that led last, {@code null} if that is not known
	 * @param vacantSince when it was first seen that the role can be taken
	 * @param now the present moment
	 * @return the time to wait, zero or less if it is over
	 */
	public Duration untilOurTurn(String role, @Nullable String former, Moment vacantSince, Moment now) {
		int before = countBefore(role, former);
		Duration longest = this.ttl.dividedBy(3);
		Duration wait = (before == 0) ? Duration.ZERO : (before < THIRD) ? second(longest) : longest;
		return wait.minus(now.since(vacantSince));
	}

	private int countBefore(String role, @Nullable String former) {
		long hash = Rendezvous.hash(role);
		Standing own = standing(hash, this.hash, this.priority.applyAsInt(role));
		int before = 0;
		for (Roster.Entry entry : this.listed.get()) {
			MemberCard card = entry.card();
			Standing other = card.member().id().equals(former) ? null : standing(card, hash);
			if (other != null && other.isBefore(own)) {
				before++;
			}
		}
		return before;
	}

	/** The first one needs the time to poll, and a little more. */
	private Duration second(Duration longest) {
		Duration poll = this.pollInterval.get().multipliedBy(5).dividedBy(4);
		Duration least = longest.dividedBy(2);
		Duration wait = (poll.compareTo(least) > 0) ? poll : least;
		return (wait.compareTo(longest) < 0) ? wait : longest;
	}

	/**
	 * Return whether another member comes before all others, this one among them, and was
	 * listed so often in a row.
	 * @param role the role
	 * @param times the least number of times
	 */
	public boolean isAnotherFirst(String role, int times) {
		long hash = Rendezvous.hash(role);
		Standing first = standing(hash, this.hash, this.priority.applyAsInt(role));
		boolean stays = false;
		for (Roster.Entry entry : this.listed.get()) {
			Standing other = standing(entry.card(), hash);
			if (other != null && other.isBefore(first)) {
				first = other;
				stays = entry.times() >= times;
			}
		}
		return stays;
	}

	/** Null for a member that does not compete, and for this one, which knows better. */
	private @Nullable Standing standing(MemberCard card, long role) {
		Integer priority = card.priority(role);
		return (priority != null && !card.member().id().equals(this.member)) ? standing(role, card.hash(), priority)
				: null;
	}

	private Standing standing(long role, long member, int priority) {
		return new Standing(priority, (this.placement == Placement.SPREAD) ? Rendezvous.weigh(role, member) : 0);
	}

	/**
	 * How far to the front a candidate of a role is.
	 *
	 * @param priority the higher one comes first
	 * @param weight of those with the same priority, the greater one comes first; they
	 * come together if it is the same
	 */
	private record Standing(int priority, long weight) {

		boolean isBefore(Standing other) {
			return (this.priority != other.priority) ? this.priority > other.priority : this.weight > other.weight;
		}

	}

}
