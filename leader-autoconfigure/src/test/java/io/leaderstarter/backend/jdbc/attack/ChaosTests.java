package io.leaderstarter.backend.jdbc.attack;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.leaderstarter.Leadership;
import io.leaderstarter.election.Cluster;
import io.leaderstarter.election.Cluster.Node;
import io.leaderstarter.election.FaultyLeaseStore.Fault;
import io.leaderstarter.election.RoleStatus;
import io.leaderstarter.jdbc.JdbcDialects;
import io.leaderstarter.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Three members, whose requests and answers are lost at random, while somebody watches
 * the table: a lease that it holds must belong to a current term of its holder, as soon
 * as the holder has had two renew intervals without a fault, and nobody leads beside
 * another.
 */
@Tag("verify")
@ParameterizedClass
@EnumSource
class ChaosTests {

	private static final Duration TTL = Duration.ofMillis(1500);

	private static final Duration TWO_RENEWALS = TTL.dividedBy(3).multipliedBy(2);

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final int ROUNDS = 5;

	private static final int MOST_ROUNDS = 50;

	private static final String[] ROLES = { "a", "b", "c", "d" };

	private final long seed = System.nanoTime();

	private final Random random = new Random(this.seed);

	@Parameter
	TestDatabase database;

	private Cluster cluster;

	private final List<Node> nodes = new ArrayList<>();

	private final List<String> broken = new CopyOnWriteArrayList<>();

	private volatile boolean over;

	@BeforeEach
	void makeCluster() {
		this.cluster = new Cluster(this.database.make(), TTL);
	}

	@AfterEach
	void close() {
		this.over = true;
		this.cluster.close();
	}

	@Test
	void noLeaseStaysOrphanedAndNoTwoMembersLead() throws Exception {
		System.out.println("Chaos on %s with seed %d".formatted(this.database, this.seed));
		for (int i = 0; i < 3; i++) {
			this.nodes.add(this.cluster.start(ROLES));
		}
		Thread watcher = new Thread(this::watchLeaders, "chaos-watcher");
		watcher.start();
		int orphans = 0;
		// Goes on until what it guards against has happened at least once.
		for (int round = 0; round < ROUNDS || (orphans == 0 && round < MOST_ROUNDS); round++) {
			orphans += breakThings();
			this.nodes.forEach((node) -> node.store().heal());
			assertEveryRowIsMeantWithin(TWO_RENEWALS);
		}
		this.over = true;
		watcher.join();
		System.out.println("Polls that found an orphaned lease:  " + orphans);
		assertThat(this.broken).as("seed " + this.seed).isEmpty();
		assertThat(orphans).as("leases that were orphaned for a while, seed " + this.seed).isPositive();
	}

	/**
	 * Give members random faults, and makes leaders resign.
	 * @return how often a row was seen that its holder does not mean
	 */
	private int breakThings() throws InterruptedException {
		int orphans = 0;
		for (int step = 0; step < 10; step++) {
			Node node = this.nodes.get(this.random.nextInt(this.nodes.size()));
			String request = List.of("observe", "acquire", "renew", "release").get(this.random.nextInt(4));
			Fault fault = List.of(Fault.NONE, Fault.LOSE_REQUEST, Fault.LOSE_ANSWER, Fault.LOSE_ANSWER)
				.get(this.random.nextInt(4));
			node.store().fail(request, fault);
			if (this.random.nextInt(2) == 0) {
				String role = ROLES[this.random.nextInt(ROLES.length)];
				this.nodes.stream()
					.filter((other) -> other.leads(role))
					.forEach((leader) -> leader.elections().election(role).resign());
			}
			orphans += watchRows(Duration.ofMillis(40 + this.random.nextInt(120)));
		}
		return orphans;
	}

	/** Counts leases that are orphaned in two consecutive polls. */
	private int watchRows(Duration duration) throws InterruptedException {
		int orphans = 0;
		long end = System.nanoTime() + duration.toNanos();
		Set<String> before = Set.of();
		while (System.nanoTime() - end < 0) {
			Set<String> unmeant = unmeant().keySet();
			orphans += (int) unmeant.stream().filter(before::contains).count();
			before = unmeant;
			TimeUnit.MILLISECONDS.sleep(5);
		}
		return orphans;
	}

	private void assertEveryRowIsMeantWithin(Duration patience) throws InterruptedException {
		Map<Node, Integer> before = this.nodes.stream().collect(Collectors.toMap((node) -> node, ChaosTests::requests));
		long begin = System.nanoTime();
		Map<String, Unmeant> first = unmeant();
		while (!first.isEmpty() && (System.nanoTime() - begin < patience.toNanos()
				|| first.values().stream().anyMatch((row) -> requests(row.holder()) < before.get(row.holder()) + 3))) {
			// A paused member cannot do anything about its rows.
			assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(PATIENCE);
			TimeUnit.MILLISECONDS.sleep(10);
			first = unmeant();
		}
		// A row that is on its way in or out is seen so once, but not again.
		first = unmeant();
		TimeUnit.MILLISECONDS.sleep(100);
		Map<String, Unmeant> second = unmeant();
		first.keySet().retainAll(second.keySet());
		assertThat(first).as("orphaned leases, seed " + this.seed).isEmpty();
	}

	/** Rows that have not run out and whose holder does not mean to hold them. */
	private Map<String, Unmeant> unmeant() {
		Map<String, Unmeant> unmeant = new HashMap<>();
		this.cluster.table()
			.sql("select role, holder, term_id from leader_lease where holder is not null and expires_at_us > "
					+ JdbcDialects.of(this.database.name()).nowMicros())
			.query((row, number) -> List.of(row.getString(1), row.getString(2), row.getString(3)))
			.list()
			.forEach((row) -> {
				Node holder = this.nodes.stream()
					.filter((node) -> node.id().equals(row.get(1)))
					.findFirst()
					.orElseThrow();
				RoleStatus status = holder.elections().status(row.get(0));
				boolean renewed = List.of("ACQUIRED", "LEADER", "LEAVING").contains(status.state());
				if (!renewed || status.own() == null || !status.own().termId().equals(row.get(2))) {
					unmeant.put(row.get(2), new Unmeant(holder, row + " " + status));
				}
			});
		return unmeant;
	}

	private static int requests(Node node) {
		return Stream.of("observe", "acquire", "renew", "release").mapToInt(node.store()::requests).sum();
	}

	private void watchLeaders() {
		while (!this.over) {
			for (String role : ROLES) {
				List<Leadership> before = leaderships(role);
				List<Leadership> after = leaderships(role);
				// A term that was seen twice lasted all the time between.
				List<Leadership> both = before.stream().filter(after::contains).toList();
				if (both.size() > 1) {
					this.broken.add("Leaders at the same time: " + both);
				}
			}
			pause();
		}
	}

	private List<Leadership> leaderships(String role) {
		return this.nodes.stream().flatMap((node) -> node.elections().election(role).leadership().stream()).toList();
	}

	private static void pause() {
		try {
			Thread.sleep(1);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private record Unmeant(Node holder, String row) {
	}

}
