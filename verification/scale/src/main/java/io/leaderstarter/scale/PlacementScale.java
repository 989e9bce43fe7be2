package io.leaderstarter.scale;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import javax.sql.DataSource;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

/**
 * Spreads many roles over members of one process that share PostgreSQL, lets one member
 * come and go, and compares what moves with what is promised.
 */
public final class PlacementScale {

	private static final int ROLES = 1000;

	private static final Duration TTL = Duration.ofSeconds(3);

	private static final Duration PATIENCE = TTL.multipliedBy(60);

	/** Nothing may move for so long until all is taken to be at rest. */
	private static final Duration REST = TTL.multipliedBy(6);

	/** So many times the deviation that chance makes. */
	private static final int DEVIATIONS = 4;

	private final List<String> broken = new ArrayList<>();

	private final Map<String, PlacedMember> members = new LinkedHashMap<>();

	private PlacementScale() {
	}

	public static void main(String[] args) throws Exception {
		PlacementScale scale = new PlacementScale();
		try (EmbeddedPostgres server = EmbeddedPostgres.builder()
			.setServerConfig("listen_addresses", "127.0.0.1")
			.start()) {
			scale.run(server.getPostgresDatabase());
		}
		scale.broken.forEach(System.out::println);
		System.out.println(scale.broken.isEmpty() ? "All that is promised holds." : "Not all that is promised holds.");
		System.exit(scale.broken.isEmpty() ? 0 : 1);
	}

	private void run(DataSource database) throws InterruptedException {
		Scale.print("roles", ROLES);
		Scale.print("ttl, ms", TTL.toMillis());
		try {
			Map<String, String> alone = settle("one member started", () -> start(database, "a"), Map.of());
			Map<String, String> first = settle("two more came", () -> start(database, "b", "c"), alone);
			expectMoved(alone, first, ROLES - count(first).get("a"));
			Map<String, String> second = settle("a fourth one came", () -> start(database, "d"), first);
			int ofFourth = count(second).get("d");
			expectMoved(first, second, ofFourth);
			Map<String, String> third = settle("the fourth one stopped", () -> this.members.remove("d").close(),
					second);
			expectMoved(second, third, ofFourth);
			expect(third.equals(first), "with the same members the roles are where they were");
			Map<String, String> fourth = settle("the third one crashed", () -> this.members.remove("c").crash(), third);
			expectMoved(third, fourth, count(third).get("c"));
		}
		finally {
			this.members.values().forEach(PlacedMember::close);
		}
	}

	private void start(DataSource database, String... names) {
		for (String name : names) {
			PlacedMember member = new PlacedMember(database, name, TTL, ROLES);
			this.members.put(name, member);
			member.start();
		}
	}

	/**
	 * Waits until all roles are led and nothing moves any more.
	 * @return who leads by role
	 */
	private Map<String, String> settle(String what, Runnable change, Map<String, String> before)
			throws InterruptedException {
		long begun = System.nanoTime();
		change.run();
		long lastMove = begun;
		long fewest = ROLES;
		Map<String, String> leaders = before;
		while (leaders.size() < ROLES || System.nanoTime() - lastMove < REST.toNanos()) {
			if (System.nanoTime() - begun > PATIENCE.toNanos()) {
				this.broken.add("Broken: nothing came to rest after " + what);
				break;
			}
			Thread.sleep(20);
			Map<String, String> now = leaders();
			if (!now.equals(leaders)) {
				lastMove = System.nanoTime();
			}
			leaders = now;
			fewest = Math.min(fewest, leaders.size());
		}
		Scale.print(what + ": roles by member", count(leaders));
		if (!before.isEmpty()) {
			Scale.print("  roles that moved", moved(before, leaders));
			Scale.print("  most roles without a leader at a time", ROLES - fewest);
		}
		int terms = terms();
		Scale.print("  terms that began", terms);
		expect(terms == (before.isEmpty() ? ROLES : moved(before, leaders)), "promised is that no role moves twice");
		Scale.print("  time until nothing moved, in ttls",
				"%.1f".formatted((lastMove - begun) / (double) TTL.toNanos()));
		expectEven(count(leaders));
		return leaders;
	}

	private Map<String, String> leaders() {
		Map<String, String> leaders = new HashMap<>();
		this.members.forEach((name, member) -> member.led().forEach((role) -> leaders.put(role, name)));
		return leaders;
	}

	/** Since it was asked last. */
	private int terms() {
		return this.members.values().stream().mapToInt(PlacedMember::termsSinceAsked).sum();
	}

	private static Map<String, Integer> count(Map<String, String> leaders) {
		return leaders.values()
			.stream()
			.sorted()
			.collect(Collectors.toMap((name) -> name, (name) -> 1, Integer::sum, LinkedHashMap::new));
	}

	private static long moved(Map<String, String> before, Map<String, String> after) {
		return before.entrySet().stream().filter((role) -> !role.getValue().equals(after.get(role.getKey()))).count();
	}

	private void expectEven(Map<String, Integer> counts) {
		double share = 1.0 / this.members.size();
		double tolerance = DEVIATIONS * Math.sqrt(ROLES * share * (1 - share));
		expect(counts.keySet().equals(this.members.keySet())
				&& counts.values().stream().allMatch((count) -> Math.abs(count - ROLES * share) <= tolerance),
				"promised is %.0f roles for each, give or take %.0f".formatted(ROLES * share, tolerance));
	}

	private void expectMoved(Map<String, String> before, Map<String, String> after, int promised) {
		expect(moved(before, after) == promised, "promised is that %d roles move".formatted(promised));
	}

	private void expect(boolean condition, String otherwise) {
		if (!condition) {
			this.broken.add("Broken: " + otherwise);
		}
	}

}
