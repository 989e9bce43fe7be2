package io.leaderstarter.simulation;

import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.leaderstarter.Leadership;
import io.leaderstarter.RevocationReason;

/**
 * What must hold in every schedule.
 */
final class Checks {

	/**
	 * By then listeners have been notified of the end of a term, if nothing goes wrong.
	 */
	private static final long NOTIFIED = 1_000_000_000;

	private final Plan plan;

	private final Scheduler scheduler;

	private final Statistics statistics;

	/** By role the latest term that a member was seen to lead with. */
	private final Map<String, Leadership> latest = new HashMap<>();

	/** By node and role the term that listeners were notified of, which has not ended. */
	private final Map<String, Leadership> announced = new HashMap<>();

	private final Set<String> granted = new HashSet<>();

	/** Since when nobody leads a role, by role. */
	private final Map<String, Long> vacantSince = new HashMap<>();

	/** By node and role the term that was valid last. */
	private final Leadership[][] valid = new Leadership[Plan.NODES][Plan.ROLES.size()];

	/** When a term was first seen to be over. */
	private final Map<Leadership, Long> over = new IdentityHashMap<>();

	/** Since when two members lead the same role, by their terms. */
	private final Map<String, Long> overlapSince = new HashMap<>();

	private final boolean oneLeader;

	private boolean calm;

	private Violation violation;

	/**
	 * Create the checks of a schedule.
	 * @param plan the schedule
	 * @param scheduler where it runs
	 * @param statistics counts what happens
	 */
	Checks(Plan plan, Scheduler scheduler, Statistics statistics) {
		this.plan = plan;
		this.scheduler = scheduler;
		this.statistics = statistics;
		this.oneLeader = !plan.mayGrantTwice();
	}

	/** Look at all members, after each event. */
	void look(List<Node> nodes) {
		if (this.violation != null) {
			throw this.violation;
		}
		for (int role = 0; role < Plan.ROLES.size(); role++) {
			look(role, Plan.ROLES.get(role), nodes);
		}
	}

	private void look(int index, String role, List<Node> nodes) {
		Node leader = null;
		Leadership led = null;
		for (int number = 0; number < nodes.size(); number++) {
			Node node = nodes.get(number);
			Leadership term = node.leads(role);
			if (term != this.valid[number][index]) {
				keepsEnding(this.valid[number][index], term);
				this.valid[number][index] = term;
			}
			if (term != null) {
				if (led != null && mayNotOverlap(led, term)) {
					throw violated("two members lead '%s': %s and %s".formatted(role, leader, node));
				}
				leader = node;
				led = term;
				leads(term);
			}
		}
		if (leader != null) {
			this.vacantSince.remove(role);
		}
		else {
			this.vacantSince.putIfAbsent(role, this.scheduler.now());
		}
	}

	/**
	 * Where the store grants a role twice, the first one is valid for its ttl at most.
	 */
	private boolean mayNotOverlap(Leadership one, Leadership other) {
		long now = this.scheduler.now();
		long since = this.overlapSince.computeIfAbsent(one.termId() + other.termId(), (terms) -> now);
		return this.oneLeader || now - since > this.plan.ttl().toNanos();
	}

	/** A term that was over once is over for good. */
	private void keepsEnding(Leadership before, Leadership term) {
		if (before != null) {
			this.over.putIfAbsent(before, this.scheduler.now());
		}
		if (term != null && this.over.containsKey(term) && !this.plan.has(Fault.Kind.WALL_CLOCK_SET)) {
			throw violated("%s is valid again".formatted(term));
		}
	}

	private void leads(Leadership term) {
		Leadership before = this.latest.get(term.role());
		if (before == term) {
			return;
		}
		if (before == null || term.epoch() > before.epoch()) {
			this.latest.put(term.role(), term);
			this.statistics.terms++;
		}
		else if (!term.termId().equals(before.termId()) && (this.oneLeader || term.epoch() == before.epoch())) {
			throw violated("%s leads after %s".formatted(term, before));
		}
	}

	/** A transaction was committed. */
	void committed(Leadership term) {
		this.statistics.commits++;
		Leadership last = this.latest.get(term.role());
		if (last != null && last.epoch() > term.epoch()) {
			throw violated("a write of %s was committed after %s has begun".formatted(term, last));
		}
	}

	void granted(Node node, Leadership term) {
		if (this.announced.putIfAbsent(node + term.role(), term) != null) {
			throw violated("%s was notified of %s before the end of its last term".formatted(node, term));
		}
		if (!this.granted.add(term.role() + term.epoch())) {
			throw violated("an epoch was granted twice: " + term);
		}
	}

	void revoked(Node node, Leadership term, RevocationReason reason) {
		if (this.calm && Statistics.isLoss(reason)) {
			throw violated("%s lost %s for no reason".formatted(node, term));
		}
		if (!term.equals(this.announced.remove(node + term.role()))) {
			throw violated("%s was notified of the end of %s, which had not begun".formatted(node, term));
		}
	}

	/** The process has ended, and is not notified of anything any more. */
	void ended(Node node) {
		this.announced.keySet().removeIf((key) -> key.startsWith(node.toString()));
	}

	/** From now on no member has a reason to lose a term, and all know what was. */
	void calm(List<Node> nodes) {
		this.calm = true;
		for (Node node : nodes) {
			for (String role : Plan.ROLES) {
				Leadership term = this.announced.get(node + role);
				if (term != null
						&& this.scheduler.now() - this.over.getOrDefault(term, this.scheduler.now()) > NOTIFIED) {
					throw violated("%s was not notified of the end of %s".formatted(node, term));
				}
			}
		}
	}

	/** Somebody has to lead by now. */
	void isLed(String role, long nanos) {
		Long since = this.vacantSince.get(role);
		if (since != null && this.scheduler.now() - since >= nanos && !this.plan.has(Fault.Kind.STORE_RESTORED)) {
			throw violated("nobody leads '%s' since %.3f s".formatted(role, since / 1e9));
		}
	}

	/**
	 * Report what must never happen. It is remembered, as the product may catch it.
	 * @param what what has happened
	 */
	Violation violated(String what) {
		if (this.violation == null) {
			this.violation = new Violation(what);
		}
		return this.violation;
	}

	/** Something that must never happen. */
	@SuppressWarnings("serial")
	static final class Violation extends AssertionError {

		private Violation(String message) {
			super(message);
		}

	}

}
