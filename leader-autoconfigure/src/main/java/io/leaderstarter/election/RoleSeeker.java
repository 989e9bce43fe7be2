package io.leaderstarter.election;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import io.leaderstarter.election.membership.Preferences;
import io.leaderstarter.election.spi.Attempt;
import io.leaderstarter.election.spi.LeaseKey;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.LeaseView;
import io.leaderstarter.election.spi.Moment;
import io.leaderstarter.election.state.Backoff;
import io.leaderstarter.election.state.Candidacy;
import org.jspecify.annotations.Nullable;

/**
 * Polls the roles that this member does not hold, all in one request, and tries to take
 * those that it may.
 */
final class RoleSeeker {

	private static final Duration LONGEST_SPREAD = Duration.ofMillis(20);

	private final ElectionContext context;

	private final LeaseStore store;

	private final Competition competition;

	private final Preferences preferences;

	private final Clearance clearance;

	private final RoleTaker taker;

	private final LeaseKeeper keeper;

	private final Backoff backoff;

	private final PollPlan plan;

	private volatile boolean pollNow;

	private volatile @Nullable Moment clockSetAt;

	/** Read by other threads, to show who leads. */
	private final ConcurrentMap<String, Candidacy> candidacies = new ConcurrentHashMap<>();

	RoleSeeker(ElectionContext context, LeaseStore store, Competition competition, LeaseKeeper keeper,
			Preferences preferences, Clearance clearance) {
		this.context = context;
		this.store = store;
		this.competition = competition;
		this.preferences = preferences;
		this.clearance = clearance;
		this.taker = new RoleTaker(context, store, competition.member(), keeper);
		this.keeper = keeper;
		this.plan = new PollPlan(context.time(), store::pollInterval);
		Duration poll = store.pollInterval();
		Duration renew = context.timing().renewInterval();
		this.backoff = new Backoff((poll.compareTo(renew) > 0) ? poll : renew);
	}

	/**
	 * Create one request if there is one to make.
	 * @return whether there was one
	 */
	boolean work(Moment now) {
		if (this.taker.hasOffers()) {
			return take();
		}
		boolean retries = this.clearance.retries(now);
		if (this.pollNow || retries) {
			this.pollNow = false;
			this.plan.clear();
		}
		Map<String, RoleElection> due = this.plan.due(this.context.roles().all(), now);
		if (!due.isEmpty()) {
			observe(due, now);
			return true;
		}
		return false;
	}

	Duration untilNext(Moment now) {
		Duration next = this.plan.untilNext(this.context.roles().all(), now);
		Duration retry = this.clearance.untilRetry(now);
		return (retry != null && retry.compareTo(next) < 0) ? retry : next;
	}

	/**
	 * Make the next poll come at once. May be called by any thread.
	 */
	void pollNow() {
		this.pollNow = true;
	}

	/**
	 * Remember that the clock of the store was set: the remaining times that it returned
	 * until now cannot be trusted. May be called by any thread.
	 */
	void clockWasSet() {
		this.clockSetAt = this.context.time().now();
	}

	@Nullable Candidacy candidacy(String role) {
		return this.candidacies.get(role);
	}

	private void observe(Map<String, RoleElection> roles, Moment sent) {
		try {
			List<LeaseView> views = this.store.observe(roles.keySet(),
					new Attempt(sent, this.context.timing().requestTimeout()));
			Moment now = this.context.time().now();
			roles.keySet().forEach((role) -> this.plan.pollIn(role, this.store.pollInterval()));
			List<String> unclear = new ArrayList<>();
			for (LeaseView view : views) {
				RoleElection election = roles.get(view.role());
				if (election != null && !seen(view, election, sent, now)) {
					unclear.add(view.role());
				}
			}
			if (!unclear.isEmpty()) {
				this.clearance.ask(unclear);
			}
			this.backoff.succeeded();
			this.context.monitor().answered("observe", sent);
		}
		catch (RuntimeException ex) {
			failed("observe", sent, roles.keySet(), ex);
		}
	}

	/**
	 * Judge what was seen of a role, and offers it to be taken if it may be.
	 * @return false if the gate has to be asked before it may be taken
	 */
	private boolean seen(LeaseView view, RoleElection election, Moment sent, Moment now) {
		Candidacy candidacy = this.candidacies.computeIfAbsent(view.role(),
				(role) -> new Candidacy(this.context.timing().ttl()));
		Candidacy.Outlook outlook = candidacy.observe(view, now, this.clockSetAt);
		this.taker.withdraw(view.role());
		LeaseKey own = own(view);
		if (this.taker.resolve(view.role(), own, now)) {
			this.plan.forget(view.role());
			return true;
		}
		if (own != null && releaseOrphaned(own, now)) {
			return true;
		}
		if (own == null && election.isGone()) {
			forget(election);
			return true;
		}
		this.context.monitor().noNextEpoch(view, !view.hasNextEpoch());
		if (!view.hasNextEpoch()) {
			return true;
		}
		this.context.monitor().waits(view, outlook.delay());
		if (!outlook.isNow()) {
			this.context.monitor().led(view.role());
			if (outlook.delay() != null) {
				this.plan.pollLease(view.role(), outlook.delay().plus(spread()), this.context.timing().ttl());
			}
			return isStillRefused(view, sent);
		}
		if (!mayCompete(election, now)) {
			Duration pause = election.participation().backOffLeft(now);
			if (!pause.isZero()) {
				this.plan.pollWithin(view.role(), pause);
				this.plan.pollSoon(view.role(), this.context.timing().ttl());
			}
			return isStillRefused(view, sent);
		}
		Moment vacantSince = candidacy.vacantSince();
		Duration wait = this.preferences.untilOurTurn(view.role(), candidacy.formerOwner(),
				(vacantSince != null) ? vacantSince : now, now);
		if (wait.compareTo(Duration.ZERO) > 0) {
			this.plan.pollWithin(view.role(), wait);
			return true;
		}
		Clearance.Verdict verdict = judged(view, sent);
		if (verdict.isKnown() && verdict.objection() == null) {
			election.record().vacantSince(vacantSince);
			this.taker.offer(election, view, outlook.over());
		}
		return verdict.isKnown();
	}

	/**
	 * Check whether the objection of the gate still holds. Another member may lead by
	 * then, and this one would report it for ever.
	 * @return false if the gate has to be asked first
	 */
	private boolean isStillRefused(LeaseView view, Moment sent) {
		return !this.context.monitor().isRefused(view.role()) || judged(view, sent).isKnown();
	}

	private Clearance.Verdict judged(LeaseView view, Moment sent) {
		Clearance.Verdict verdict = this.clearance.judge(view, sent);
		if (verdict.isKnown()) {
			this.context.monitor().refused(view.role(), verdict.objection());
		}
		return verdict;
	}

	/** The lease that was seen, {@code null} if it is not under the id of this member. */
	private @Nullable LeaseKey own(LeaseView view) {
		LeaseView.Owner owner = view.owner();
		return (owner != null && owner.member().equals(this.competition.member().id()))
				? new LeaseKey(view.role(), view.epoch(), owner.termId()) : null;
	}

	/** Nothing of the role is held, and no request for it is under way. */
	private void forget(RoleElection election) {
		this.context.roles().forget(election);
		if (election.participation().isForgotten()) {
			this.candidacies.remove(election.role());
			this.plan.forget(election.role());
			this.clearance.forget(election.role());
			this.context.monitor().led(election.role());
			this.context.monitor().refused(election.role(), null);
		}
		else if (!election.isGone()) {
			// It was joined again at this moment.
			this.plan.forget(election.role());
		}
	}

	/**
	 * Release an orphaned lease. If that does not free it, it is waited for like any
	 * other's.
	 * @return whether it was seen for the first time
	 */
	private boolean releaseOrphaned(LeaseKey own, Moment now) {
		boolean first = this.keeper.releaseOrphaned(own, now);
		this.plan.pollWithin(own.role(), first ? Duration.ZERO : this.context.timing().renewInterval());
		return first;
	}

	private boolean take() {
		Moment sent = this.context.time().now();
		try {
			Map<String, Boolean> answers = this.taker
				.take((election) -> mayCompete(election, this.context.time().now()));
			if (!answers.isEmpty()) {
				answers.forEach((role, granted) -> this.plan.answered(role, granted, this.context.timing().ttl()));
				this.context.monitor().answered("acquire", sent);
			}
			return !answers.isEmpty();
		}
		catch (RuntimeException ex) {
			failed("acquire", sent, this.taker.unanswered(), ex);
			return true;
		}
	}

	private boolean mayCompete(RoleElection election, Moment now) {
		return this.competition.competesFor(election) && election.mayCompete(now);
	}

	private void failed(String request, Moment sent, Collection<String> roles, RuntimeException ex) {
		Duration delay = this.backoff.failed();
		roles.forEach((role) -> this.plan.pollIn(role, delay));
		this.context.monitor().failed(request, sent, ex);
	}

	/** A short random time, so that candidates do not all ask at the same moment. */
	private Duration spread() {
		Duration tenth = this.store.pollInterval().dividedBy(10);
		return this.context.jitter((tenth.compareTo(LONGEST_SPREAD) < 0) ? tenth : LONGEST_SPREAD, 0, 1);
	}

}
