package io.leaderstarter.sample.demo;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.leaderstarter.fencing.FenceListener.Refuser;
import io.leaderstarter.sample.demo.Event.Kind;
import io.leaderstarter.sample.demo.node.Report;
import org.jspecify.annotations.Nullable;

/**
 * Who led what under which epoch, from what the nodes report.
 */
final class Terms {

	private static final Map<String, String> REASONS = Map.of("LEASE_EXPIRED", "its lease ran out", "SUPERSEDED",
			"the lease belongs to another term", "FENCE_REFUSED", "the fence refused its write", "RESIGNED",
			"it gave the role up", "PAUSED", "it is paused", "SHUTDOWN", "it shuts down", "YIELDED",
			"its work failed again and again", "REBALANCED", "another node is preferred for it");

	private final EventLog events;

	private final Map<String, String> nodes = new ConcurrentHashMap<>();

	private final Map<String, Long> highest = new ConcurrentHashMap<>();

	private volatile long refused;

	private volatile long untried;

	Terms(EventLog events) {
		this.events = events;
	}

	/** Whose term it was, if that is known. */
	@Nullable String nodeOf(String role, long epoch) {
		return this.nodes.get(role + "/" + epoch);
	}

	/** How many writes the database has refused. */
	long refused() {
		return this.refused;
	}

	/** How many writes nodes have not tried, as they knew that their term is over. */
	long untried() {
		return this.untried;
	}

	/** Writes down what a node has reported. */
	synchronized void onReport(DemoNode node, Report report) {
		String role = String.valueOf(report.role());
		String name = node.name();
		long epoch = report.number();
		switch (report.kind()) {
			case "granted" -> {
				this.nodes.put(role + "/" + epoch, name);
				this.highest.merge(role, epoch, Math::max);
				add(report, name, Kind.GRANTED, "%s leads %s, epoch %d".formatted(name, role, epoch));
			}
			case "revoked" -> add(report, name, Kind.REVOKED, "%s no longer leads %s, epoch %d: %s".formatted(name,
					role, epoch, REASONS.getOrDefault(String.valueOf(report.detail()), "its term is over")));
			case "refused" -> {
				// By its clocks, or as a renewal was refused.
				if (Refuser.MEMBER.name().equals(report.detail())) {
					this.untried++;
					add(report, name, Kind.UNTRIED, untried(name, role, epoch));
				}
				else {
					this.refused++;
					add(report, name, Kind.REFUSED, refusal(name, role, epoch));
				}
			}
			default -> {
			}
		}
	}

	private String refusal(String name, String role, long epoch) {
		long present = this.highest.getOrDefault(role, epoch);
		return "The database refused what %s wrote for %s under epoch %d%s. By its own clock %s still led"
			.formatted(name, role, epoch, (present > epoch) ? ": epoch %d leads".formatted(present) : "", name);
	}

	private static String untried(String name, String role, long epoch) {
		return "%s did not even try to write for %s under epoch %d: it knew that its term was over".formatted(name,
				role, epoch);
	}

	private void add(Report report, String node, Kind kind, String text) {
		this.events.add(report.at(), kind, node, report.role(), report.number(), 0, text);
	}

}
