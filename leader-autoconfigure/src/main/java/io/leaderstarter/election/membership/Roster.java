package io.leaderstarter.election.membership;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.leaderstarter.Member;
import io.leaderstarter.election.spi.Moment;
import io.leaderstarter.election.spi.Presence;
import io.leaderstarter.election.spi.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * The members that are alive, and what each is a candidate for, as last listed by the
 * store.
 * <p>
 * Internal: not for applications.
 *
 * @since 0.1.0
 */
public final class Roster {

	private static final int TTLS_UNTIL_STALE = 3;

	private final TimeSource time;

	private final Duration longestAge;

	private volatile Listing listing = Listing.NOTHING;

	/**
	 * Create a new, empty roster.
	 * @param time the clocks
	 * @param ttl of a lease: members are listed about once in that time
	 */
	public Roster(TimeSource time, Duration ttl) {
		this.time = time;
		this.longestAge = ttl.multipliedBy(TTLS_UNTIL_STALE);
	}

	/**
	 * Return all members that are alive.
	 * @return the members in the order of their ids
	 */
	public Collection<Member> members() {
		return entries().stream().map((entry) -> entry.card().member()).toList();
	}

	/**
	 * Return the candidates for a role.
	 * @param role the role
	 * @return the candidates, those with the highest priority first
	 */
	public List<Candidate> candidates(String role) {
		long hash = Rendezvous.hash(role);
		List<Candidate> candidates = new ArrayList<>();
		for (Entry entry : entries()) {
			Integer priority = entry.card().priority(hash);
			if (priority != null) {
				candidates.add(new Candidate(entry.card().member(), priority));
			}
		}
		candidates.sort(Comparator.comparing(Candidate::priority).reversed());
		return candidates;
	}

	/**
	 * Return what is known of each member.
	 * @return the entries in the order of the ids; none if the list is so old that all of
	 * them may be gone
	 */
	public Collection<Entry> entries() {
		Listing last = this.listing;
		Moment at = last.at();
		return (at != null && this.time.now().since(at).compareTo(this.longestAge) < 0) ? last.entries().values()
				: List.of();
	}

	/**
	 * Replace what is known. Called by one thread.
	 * @param present what the store listed
	 */
	public void update(Collection<Presence> present) {
		Map<String, Entry> entries = new TreeMap<>();
		for (Presence presence : present) {
			// A card is parsed only when it changed.
			Entry before = this.listing.entries().get(presence.member());
			MemberCard card = (before != null && before.text().equals(presence.text())) ? before.card()
					: MemberCard.read(presence);
			if (card != null) {
				int times = (before != null && before.card() == card) ? before.times() + 1 : 1;
				entries.put(presence.member(), new Entry(card, presence.text(), times));
			}
		}
		this.listing = new Listing(entries, this.time.now());
	}

	/**
	 * Forget all members.
	 */
	public void clear() {
		this.listing = Listing.NOTHING;
	}

	/**
	 * A member on the list.
	 *
	 * @param card what it announces of itself
	 * @param text the card as it was read
	 * @param times how often in a row it was there with this card
	 */
	public record Entry(MemberCard card, String text, int times) {
	}

	/** By member what is known of it, in the order of the ids. */
	private record Listing(Map<String, Entry> entries, @Nullable Moment at) {

		private static final Listing NOTHING = new Listing(Map.of(), null);

	}

}
