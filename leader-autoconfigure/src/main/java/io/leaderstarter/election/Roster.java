package io.leaderstarter.election;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.leaderstarter.Member;
import io.leaderstarter.election.spi.Attempt;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.Moment;
import io.leaderstarter.election.spi.Presence;
import io.leaderstarter.election.spi.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * Knows who lives and what each stands for. Once per ttl it says so of this member and
 * hears of the others.
 * <p>
 * Nothing of this is needed to lead: who knows nobody is on its own and stands as always.
 * So whatever goes wrong here is said, and harms nobody.
 */
final class Roster {

	/** Intervals are longer than the ttl by up to this share, so members spread out. */
	private static final double JITTER = 0.1;

	private static final int TTLS_UNTIL_STALE = 3;

	private static final Duration WITHDRAWAL_TIMEOUT = Duration.ofSeconds(1);

	private final LeaseStore store;

	private final LeaseTiming timing;

	private final TimeSource time;

	private final StoreMonitor monitor;

	private final Supplier<MemberCard> own;

	private final Consumer<Moment> onListed;

	/** By member the text of its card, so that it is read only when it changed. */
	private final Map<String, Entry> known = new HashMap<>();

	private volatile Listing listing = Listing.NOTHING;

	private volatile boolean announced;

	private @Nullable Moment next;

	/**
	 * Makes a roster that knows nobody.
	 * @param store where members say that they live
	 * @param timing tells how often
	 * @param time the clocks
	 * @param monitor told how it went
	 * @param own makes the card of this member as it is now
	 * @param onListed told whenever the members were listed
	 */
	Roster(LeaseStore store, LeaseTiming timing, TimeSource time, StoreMonitor monitor, Supplier<MemberCard> own,
			Consumer<Moment> onListed) {
		this.store = store;
		this.timing = timing;
		this.time = time;
		this.monitor = monitor;
		this.own = own;
		this.onListed = onListed;
	}

	/** Whether this is to come before anything is taken, as nothing is known yet. */
	boolean isFirst() {
		return this.next == null;
	}

	/**
	 * Makes one request if there is one to make.
	 * @return whether there was one
	 */
	boolean work(Moment now) {
		Moment planned = this.next;
		if (planned != null && now.nanos() - planned.nanos() < 0) {
			return false;
		}
		double share = 1 + JITTER * Math.random();
		this.next = now.plus(Duration.ofNanos((long) (this.timing.ttl().toNanos() * share)));
		try {
			MemberCard card = this.own.get();
			// Even if the answer is lost.
			this.announced = true;
			read(this.store.announce(new Presence(card.member().id(), card.write()),
					new Attempt(now, this.timing.requestTimeout())));
			this.monitor.announced(now, null);
			this.onListed.accept(now);
		}
		catch (RuntimeException ex) {
			this.monitor.announced(now, ex);
		}
		return true;
	}

	Duration untilNext(Moment now) {
		Moment planned = this.next;
		return (planned != null) ? planned.since(now) : Duration.ZERO;
	}

	/**
	 * Takes this member off the list, if it may be on it. Tried once, shortly, and only
	 * if the store answers: others notice by themselves a little later, and who stops
	 * should not have to wait.
	 */
	void withdraw(Moment now) {
		this.next = null;
		this.listing = Listing.NOTHING;
		if (this.announced && this.monitor.isReachable()) {
			this.announced = false;
			Duration timeout = this.timing.requestTimeout();
			try {
				this.store.withdraw(
						new Attempt(now, (timeout.compareTo(WITHDRAWAL_TIMEOUT) < 0) ? timeout : WITHDRAWAL_TIMEOUT));
			}
			catch (RuntimeException ex) {
				this.monitor.announced(now, ex);
			}
		}
	}

	/** Returns all members that live, in the order of their ids. */
	Collection<Member> members() {
		return entries().stream().map((entry) -> entry.card().member()).toList();
	}

	/** Returns who stands for a role, those with the highest priority first. */
	List<Candidate> candidates(String role) {
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
	 * Returns what is known of each member in the order of their ids; nothing if that is
	 * so old that none may be left.
	 */
	List<Entry> entries() {
		Listing last = this.listing;
		Moment at = last.at();
		boolean fresh = at != null
				&& this.time.now().since(at).compareTo(this.timing.ttl().multipliedBy(TTLS_UNTIL_STALE)) < 0;
		return fresh ? last.entries() : List.of();
	}

	private void read(Collection<Presence> present) {
		Map<String, Entry> entries = new HashMap<>();
		for (Presence presence : present) {
			Entry before = this.known.get(presence.member());
			MemberCard card = (before != null && before.text().equals(presence.text())) ? before.card()
					: MemberCard.read(presence);
			if (card != null) {
				int times = (before != null && before.card() == card) ? before.times() + 1 : 1;
				entries.put(presence.member(), new Entry(card, presence.text(), times));
			}
		}
		this.known.clear();
		this.known.putAll(entries);
		this.listing = new Listing(
				entries.values().stream().sorted(Comparator.comparing((entry) -> entry.card().member().id())).toList(),
				this.time.now());
	}

	/**
	 * A member on the list.
	 *
	 * @param card what it says of itself
	 * @param text the card as it was read
	 * @param times how often in a row it was there with this card
	 */
	record Entry(MemberCard card, String text, int times) {
	}

	private record Listing(List<Entry> entries, @Nullable Moment at) {

		private static final Listing NOTHING = new Listing(List.of(), null);

	}

}
