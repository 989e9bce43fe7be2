package io.leaderstarter.election;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

import io.leaderstarter.Leadership;
import io.leaderstarter.Member;
import io.leaderstarter.election.spi.Attempt;
import io.leaderstarter.election.spi.LeaseKey;
import io.leaderstarter.election.spi.LeaseRequest;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.LeaseView;
import io.leaderstarter.election.spi.Moment;
import io.leaderstarter.election.spi.Platform;
import io.leaderstarter.election.state.Deadline;
import io.leaderstarter.election.state.LeaseTiming;
import io.leaderstarter.election.state.RoleInput;
import org.jspecify.annotations.Nullable;

/**
 * Tries to take roles that were found to be takeable, and remembers what it asked for
 * without getting an answer: such a role may be held without this member knowing.
 */
final class RoleTaker {

	private static final int MOST_AT_ONCE = 1000;

	private final Platform platform;

	private final LeaseTiming timing;

	private final LeaseStore store;

	private final String member;

	private final LeaseKeeper keeper;

	private final Map<String, Offer> offers = new HashMap<>();

	private final Map<String, Unanswered> unanswered = new HashMap<>();

	RoleTaker(ElectionContext context, LeaseStore store, Member member, LeaseKeeper keeper) {
		this.platform = context.platform();
		this.timing = context.timing();
		this.store = store;
		this.member = member.id();
		this.keeper = keeper;
	}

	/**
	 * Take note of a role that could be taken.
	 * @param election the role
	 * @param view what was seen of it
	 * @param over see {@link LeaseRequest}
	 */
	void offer(RoleElection election, LeaseView view, boolean over) {
		this.offers.put(election.role(), new Offer(election, view, over));
	}

	void withdraw(String role) {
		this.offers.remove(role);
	}

	boolean hasOffers() {
		return !this.offers.isEmpty();
	}

	/**
	 * Ask for roles, as many as fit into one request. The rest has its turn after the
	 * renewals that are due meanwhile.
	 * @param mayCompete whether this member may still compete for a role
	 * @return the roles that were asked for, and whether they were granted
	 */
	Map<String, Boolean> take(Predicate<RoleElection> mayCompete) {
		List<Asked> asked = new ArrayList<>();
		for (Iterator<Offer> rest = this.offers.values().iterator(); rest.hasNext() && asked.size() < MOST_AT_ONCE;) {
			Offer offer = rest.next();
			rest.remove();
			if (mayCompete.test(offer.election())) {
				asked.add(new Asked(offer.request(this.platform.randomId()), offer.election()));
			}
		}
		Map<String, Boolean> answers = new LinkedHashMap<>();
		if (asked.isEmpty()) {
			return answers;
		}
		Moment sent = this.platform.time().now();
		try {
			Set<LeaseKey> granted = this.store.acquire(asked.stream().map(Asked::request).toList(),
					new Attempt(sent, this.timing.requestTimeout()));
			for (Asked one : asked) {
				LeaseKey lease = one.request().key();
				answers.put(lease.role(), granted.contains(lease));
				if (granted.contains(lease)) {
					granted(one.election(), lease, sent);
				}
			}
			return answers;
		}
		catch (RuntimeException ex) {
			// Some may have been granted; the next poll shows.
			asked.forEach((one) -> this.unanswered.put(one.request().role(),
					new Unanswered(one.election(), one.request().key(), sent)));
			throw ex;
		}
	}

	/**
	 * Return the roles whose requests were not answered.
	 */
	Set<String> unanswered() {
		return Set.copyOf(this.unanswered.keySet());
	}

	/**
	 * Forget that a request for a role was not answered, as the role was seen since.
	 * @param role the role
	 * @param own the lease of it that this member holds, {@code null} if it holds none
	 * @param now when it was seen
	 * @return whether the lease is what was asked for, and came in time; then the term
	 * begins
	 */
	boolean resolve(String role, @Nullable LeaseKey own, Moment now) {
		Unanswered request = this.unanswered.remove(role);
		if (own == null || request == null || !request.asked().equals(own) || deadline(request.sent()).hasPassed(now)) {
			return false;
		}
		granted(request.election(), own, request.sent());
		return true;
	}

	/**
	 * The term counts from when the request was sent, however late the answer comes.
	 */
	private void granted(RoleElection election, LeaseKey lease, Moment sent) {
		this.keeper.granted(this.store.countedFrom(sent));
		Leadership leadership = new Leadership(lease.role(), lease.epoch(), lease.termId(), this.member,
				Instant.ofEpochMilli(this.platform.time().currentTimeMillis()));
		election.apply(new RoleInput.Granted(leadership, deadline(sent)));
	}

	private Deadline deadline(Moment sent) {
		return this.timing.deadline(this.store.countedFrom(sent));
	}

	private record Offer(RoleElection election, LeaseView view, boolean over) {

		LeaseRequest request(String termId) {
			LeaseView.Owner owner = this.view.owner();
			LeaseView.Expiry expiry = (owner != null) ? owner.expiry() : null;
			return new LeaseRequest(this.view.role(), this.view.epoch(), termId,
					(expiry != null) ? expiry.mark() : null, this.over);
		}

	}

	private record Asked(LeaseRequest request, RoleElection election) {
	}

	private record Unanswered(RoleElection election, LeaseKey asked, Moment sent) {
	}

}
