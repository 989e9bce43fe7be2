package io.leaderstarter.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.leaderstarter.chaos.Ledger.Entry;
import io.leaderstarter.chaos.Run.Check;
import io.leaderstarter.chaos.Run.Happened;
import io.leaderstarter.chaos.Run.Span;
import io.leaderstarter.chaos.Run.Violation;

/**
 * Looks for what must not happen in what is known of a run.
 */
final class Checks {

	/** A kind of fault that came as often as this must have had an effect. */
	private static final int OFTEN = 10;

	private static final Set<String> LOST = Set.of("LEASE_EXPIRED", "SUPERSEDED", "FENCE_REFUSED");

	/** What is logged while a server is away, also by members that start just then. */
	private static final Pattern EXPECTED = Pattern.compile(String.join("|",
			"(WARN|ERROR) (org\\.hibernate|com\\.zaxxer|o\\.s\\.(boot|jdbc|orm|t)|o\\.s\\.b)\\..*",
			"(WARN|ERROR) \\S*\\.(LocalContainerEntityManagerFactoryBean|AnnotationConfigApplicationContext): .*",
			"WARN (org\\.apache\\.zookeeper|(org|o)\\.apache\\.curator|o\\.a\\.c\\.f)\\..*",
			"WARN io\\.(etcd|grpc)\\..*", "WARN o\\.m\\.jdbc\\..*",
			"WARN \\S*\\.(StoreMonitor|Clearance|DeadlineWatchdog|ServerVersion|TermEffects): .*"));

	private final Run run;

	private final List<Violation> violations = new ArrayList<>();

	private final List<Claim> claims;

	private int excusedOverlaps;

	private Checks(Run run) {
		this.run = run;
		this.violations.addAll(run.found());
		this.claims = claims(run.events());
	}

	static Findings of(Run run) {
		Checks checks = new Checks(run);
		checks.commits();
		checks.acknowledged();
		checks.terms();
		checks.overlaps();
		checks.recoveries();
		checks.alternation();
		checks.demotions();
		checks.logged();
		checks.sometimes();
		return new Findings(checks.violations, checks.excusedOverlaps, checks.claims, checks.bites());
	}

	private void commits() {
		Set<String> acknowledged = this.run.events()
			.stream()
			.filter((event) -> event.ended("COMMITTED"))
			.map(Event::operation)
			.collect(Collectors.toSet());
		Map<String, Entry> last = new HashMap<>();
		for (Entry entry : this.run.entries()) {
			Entry before = last.put(entry.role(), entry);
			if (before != null && entry.epoch() < before.epoch()) {
				report(Check.NO_STALE_COMMIT, 0, "%s was committed after %s", entry, before);
			}
			long expected = (before != null) ? before.amount() + 1 : 1;
			// A request that nobody waits for any more may still take effect, beside the
			// next run under the same term, which is not what a fence is for.
			boolean sameTerm = before != null && before.epoch() == entry.epoch();
			boolean bothKnown = before == null
					|| acknowledged.contains(before.operation()) && acknowledged.contains(entry.operation());
			if (entry.amount() != expected && !(sameTerm && !bothKnown)) {
				report(Check.NO_LOST_UPDATE, 0, "%s was committed after %s", entry, before);
			}
		}
	}

	private void acknowledged() {
		Map<String, Integer> committed = new HashMap<>();
		this.run.entries().forEach((entry) -> committed.merge(entry.operation(), 1, Integer::sum));
		for (Event event : this.run.events()) {
			if (event.ended("COMMITTED") && committed.getOrDefault(event.operation(), 0) != 1) {
				report(Check.NO_LOST_ACKNOWLEDGED_WRITE, event.time(), "%s is there %d times", event,
						committed.getOrDefault(event.operation(), 0));
			}
			if (event.ended("REFUSED") && committed.containsKey(event.operation())) {
				report(Check.NO_REFUSED_WRITE, event.time(), "%s", event);
			}
		}
	}

	private void terms() {
		Map<String, String> processes = new HashMap<>();
		Set<String> seen = new HashSet<>();
		for (Event event : this.run.events()) {
			if (!event.is("leads") && !event.is("granted") && !event.is("operation")) {
				continue;
			}
			String term = event.role() + " " + event.epoch();
			String other = processes.putIfAbsent(term, event.process());
			if (other != null && !other.equals(event.process()) && seen.add(term + event.process())) {
				report(Check.ONE_TERM_PER_EPOCH, event.time(), "%s belongs to %s and to %s", term, other,
						event.process());
			}
		}
	}

	private void overlaps() {
		Map<String, Claim> latest = new HashMap<>();
		for (Claim claim : this.claims) {
			Claim other = latest.get(claim.role());
			if (other != null && claim.span().begin() < other.span().end()) {
				Span both = new Span(claim.span().begin(), Math.min(claim.span().end(), other.span().end()));
				if (isExcused(both, claim, other)) {
					this.excusedOverlaps++;
				}
				else {
					report(Check.NO_OVERLAP, both.begin(), "%s and %s for %d ms", other, claim,
							Duration.ofNanos(both.end() - both.begin()).toMillis());
				}
			}
			if (other == null || claim.span().end() > other.span().end()) {
				latest.put(claim.role(), claim);
			}
		}
	}

	/**
	 * Whether it is documented that two members may claim a role then: the clock of the
	 * store was set, a member had stopped with its clocks, or a server of the leases had
	 * stopped.
	 */
	private boolean isExcused(Span both, Claim one, Claim other) {
		return this.run.faults()
			.stream()
			.filter((fault) -> fault.kind() == FaultKind.DATABASE_CLOCK || fault.kind() == FaultKind.STORE_FREEZE
					|| fault.kind() == FaultKind.SUSPEND
							&& (fault.process().equals(one.process()) || fault.process().equals(other.process())))
			.anyMatch((fault) -> fault.span().extendedBy(Options.TTL.multipliedBy(2)).meets(both));
	}

	private void recoveries() {
		Duration bound = Options.TTL.plus(Options.GRACE);
		this.run.recoveries()
			.stream()
			.filter((recovery) -> recovery.led().compareTo(bound) > 0)
			.forEach((recovery) -> report(Check.LED_SOON, recovery.healed(), "'%s' was led after %d ms",
					recovery.role(), recovery.led().toMillis()));
	}

	private void alternation() {
		Map<String, Event> granted = new HashMap<>();
		for (Event event : this.run.events()) {
			if (!event.is("granted") && !event.is("revoked")) {
				continue;
			}
			String key = event.process() + " " + event.role();
			Event before = event.is("granted") ? granted.put(key, event) : granted.remove(key);
			boolean right = event.is("granted") ? before == null : before != null && before.epoch() == event.epoch();
			if (!right) {
				report(Check.GRANTED_THEN_REVOKED, event.time(), "%s after %s", event, before);
			}
		}
	}

	private void demotions() {
		for (Event event : this.run.events()) {
			if (event.is("revoked") && LOST.contains(event.reason())
					&& this.run.calm().stream().anyMatch((calm) -> calm.meets(new Span(event.time(), event.time())))) {
				report(Check.NO_FALSE_DEMOTION, event.time(), "%s", event);
			}
		}
	}

	private void logged() {
		this.run.logged().forEach((line, times) -> {
			if (!EXPECTED.matcher(line).matches()) {
				report(Check.NO_UNEXPECTED_ERROR, 0, "%d times: %s", times, line);
			}
		});
	}

	/** A run in which nothing happens finds nothing either. */
	private void sometimes() {
		if (this.run.options().fence() && this.run.events()
			.stream()
			.noneMatch((event) -> event.is("refusal") && event.reason().equals("FENCE"))) {
			report(Check.NOT_BLIND, 0, "No write was refused by the fence alone");
		}
		if (this.claims.stream().map(Claim::process).distinct().count() < 2) {
			report(Check.NOT_BLIND, 0, "No role was taken over");
		}
		bites().forEach((kind, bites) -> {
			if (bites.times() >= OFTEN && bites.effective() == 0) {
				report(Check.NOT_BLIND, 0, "%s came %d times and never had an effect", kind, bites.times());
			}
		});
	}

	/** How often each kind of fault came, and how often a run or a term ended by it. */
	private Map<FaultKind, Bites> bites() {
		List<Event> effects = this.run.events()
			.stream()
			.filter((event) -> event.ended("REFUSED") || event.ended("UNKNOWN")
					|| event.is("revoked") && (LOST.contains(event.reason()) || event.reason().equals("SHUTDOWN")))
			.toList();
		Map<FaultKind, Bites> bites = new TreeMap<>();
		for (Happened fault : this.run.faults()) {
			Span span = fault.span().extendedBy(Options.TTL);
			boolean effective = fault.kind() == FaultKind.KILL || effects.stream()
				.anyMatch((effect) -> (fault.member() < 0 || fault.member() == effect.member())
						&& span.meets(new Span(effect.time(), effect.time())));
			bites.merge(fault.kind(), new Bites(1, effective ? 1 : 0), Bites::plus);
		}
		return bites;
	}

	private void report(Check check, long time, String text, Object... arguments) {
		this.violations.add(new Violation(check, time, text.formatted(arguments)));
	}

	/** What each process has claimed, by when that began. */
	private static List<Claim> claims(List<Event> events) {
		Map<String, Claim> claims = new HashMap<>();
		for (Event event : events) {
			if (event.is("leads")) {
				add(claims, event, event.time(), event.time());
			}
			else if (event.is("operation") && event.firstClaim() != 0) {
				add(claims, event, event.firstClaim(), event.lastClaim());
			}
		}
		return claims.values().stream().sorted(Comparator.comparing((claim) -> claim.span().begin())).toList();
	}

	private static void add(Map<String, Claim> claims, Event event, long begin, long end) {
		claims.merge(event.process() + " " + event.role() + " " + event.epoch(),
				new Claim(event.role(), event.epoch(), event.process(), new Span(begin, end)), Claim::plus);
	}

	/**
	 * What was found.
	 *
	 * @param violations what must not happen
	 * @param excusedOverlaps how often two members claimed a role where that is
	 * documented
	 * @param claims what each process has claimed, by when that began
	 * @param bites how often each kind of fault came
	 */
	record Findings(List<Violation> violations, int excusedOverlaps, List<Claim> claims, Map<FaultKind, Bites> bites) {

		/** How often each check was violated. */
		Map<Check, Long> counts() {
			return this.violations.stream()
				.collect(Collectors.groupingBy(Violation::check, TreeMap::new, Collectors.counting()));
		}

	}

	/**
	 * A process that claimed to lead, from its first claim to its last one: a term is not
	 * interrupted.
	 *
	 * @param role the role
	 * @param epoch the epoch of the term
	 * @param process who claimed it
	 * @param span from when to when
	 */
	record Claim(String role, long epoch, String process, Span span) {

		private Claim plus(Claim other) {
			return new Claim(this.role, this.epoch, this.process, new Span(
					Math.min(this.span.begin(), other.span.begin()), Math.max(this.span.end(), other.span.end())));
		}

		int member() {
			return Integer.parseInt(this.process.substring(0, this.process.indexOf('.')));
		}

	}

	/**
	 * How often a kind of fault came.
	 *
	 * @param times how often
	 * @param effective how often it had an effect
	 */
	record Bites(int times, int effective) {

		private Bites plus(Bites other) {
			return new Bites(this.times + other.times, this.effective + other.effective);
		}

	}

}
