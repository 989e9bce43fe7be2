package io.leaderstarter.backend.jdbc.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.leaderstarter.TestContexts;
import io.leaderstarter.backend.jdbc.JdbcLeaseProperties;
import io.leaderstarter.backend.jdbc.JdbcLeaseStoreFactory;
import io.leaderstarter.backend.jdbc.faults.Replicas.Replica;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.StoreIdentity;
import io.leaderstarter.election.state.LeaseTiming;
import io.leaderstarter.jdbc.SchemaInitialization;
import io.leaderstarter.jdbc.SchemaSettings;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for elections over rows that no election wrote. Each kind of garbage is in the
 * row of a separate role, beside a role with a valid row. That nobody leads beside
 * another one is watched in all of them, by {@link Replicas}.
 */
@Tag("verify")
@ResourceLock(TestContexts.LOG)
class GarbageRowTests {

	private static final String GOOD = "good";

	/** Of the rows. */
	private static final Duration TTL = Duration.ofSeconds(2);

	/**
	 * Of the replicas, whose terms must not end if the machine is paused for a while.
	 */
	private static final LeaseTiming TIMING = LeaseTiming.of(Duration.ofSeconds(12), Duration.ofSeconds(1),
			Duration.ofSeconds(1));

	private static final long MINUTE = 60_000_000L;

	private static final String STRANGE = "\u00e9\u202e'\"\\\n\t;--%_ \u4e2d";

	@ParameterizedTest
	@EnumSource
	void rowsThatWereThereBeforeAreLedUnlessOnlyAPersonKnowsTheEpoch(Database database) {
		DriverManagerDataSource dataSource = database.create();
		JdbcTemplate jdbc = new JdbcTemplate(dataSource);
		createTable(dataSource);
		long now = System.currentTimeMillis() * 1000;
		long ttl = TTL.toMillis() * 1000;
		// epoch, holder, term id, expiry, ttl
		List<String> usable = new ArrayList<>();
		usable.add(insert(jdbc, "last-epoch", Long.MAX_VALUE - 1, null, null, 0, ttl));
		usable.add(insert(jdbc, "no-term-id", 7, "x", null, now + MINUTE, ttl));
		usable.add(insert(jdbc, "empty-holder", 7, "", "", now + MINUTE, ttl));
		usable.add(insert(jdbc, "strange-holder", 7, STRANGE, "t", now + MINUTE, ttl));
		usable.add(insert(jdbc, "far-future", 7, "x", "t", Long.MAX_VALUE, ttl));
		usable.add(insert(jdbc, "far-past", 7, "x", "t", Long.MIN_VALUE, ttl));
		usable.add(insert(jdbc, "mark-of-none", 7, "x", "t", -1, ttl));
		usable.add(insert(jdbc, "ttl-zero", 7, "x", "t", now + MINUTE, 0));
		usable.add(insert(jdbc, "ttl-negative", 7, "x", "t", now + MINUTE, Long.MIN_VALUE));
		usable.add(insert(jdbc, "ttl-huge", 7, "x", "t", now, Long.MAX_VALUE));
		usable.add(insert(jdbc, "free-but-lasting", 7, null, "t", Long.MAX_VALUE, ttl));
		List<String> unusable = List.of(insert(jdbc, "negative", -5, null, null, 0, ttl),
				insert(jdbc, "most-negative", Long.MIN_VALUE, null, null, 0, ttl),
				insert(jdbc, "used-up", Long.MAX_VALUE, null, null, 0, ttl),
				insert(jdbc, "used-up-and-held", Long.MAX_VALUE, "x", "t", now, ttl));
		List<String> roles = new ArrayList<>(usable);
		roles.addAll(unusable);
		roles.add(GOOD);
		try (Replicas replicas = new Replicas(TIMING, roles.toArray(String[]::new))) {
			replicas.expectErrors();
			Replica one = replicas.start(dataSource);
			Replica other = replicas.start(dataSource);
			Replicas.until("leader of the good role", () -> replicas.anyLeads(GOOD));
			Replicas.until("leaders of what can be used", () -> usable.stream().allMatch(replicas::anyLeads));
			assertThat(replicas.terms(GOOD)).hasSize(1);
			for (Replica replica : List.of(one, other)) {
				Replicas.until("answers", () -> replica.failure().isEmpty());
				assertThat(unusable).noneMatch(replica::leads);
			}
			for (Replica replica : List.of(one, other)) {
				replica.poll();
				replica.poll();
			}
			for (String role : unusable) {
				assertThat(replicas.logged())
					.filteredOn((message) -> message.contains("The role '" + role + "' has the epoch")
							&& message.contains("Set the epoch there"))
					.as("logged once by each of the two, about " + role)
					.hasSize(2);
			}
			jdbc.update("update leader_lease set epoch = 100 where role in ('negative', 'used-up')");
			Replicas.until("leader of a role that a person repaired",
					() -> replicas.anyLeads("negative") && replicas.anyLeads("used-up"));
		}
	}

	@ParameterizedTest
	@EnumSource
	void rowsThatAreSpoiledUnderTheLeaderCostAtMostThatTerm(Database database) {
		DriverManagerDataSource dataSource = database.create();
		JdbcTemplate jdbc = new JdbcTemplate(dataSource);
		Map<String, String> kept = Map.of("ttl-zero", "ttl_us = 0", "ttl-negative", "ttl_us = " + -Long.MAX_VALUE,
				"ttl-huge", "ttl_us = " + Long.MAX_VALUE, "lasting", "expires_at_us = " + Long.MAX_VALUE);
		Map<String, String> lost = Map.of("no-term-id", "term_id = null", "other-term-id", "term_id = 'x'", "no-holder",
				"holder = null", "other-holder", "holder = 'x'", "expired", "expires_at_us = 0", "far-past",
				"expires_at_us = " + -Long.MAX_VALUE, "later-epoch", "epoch = 1000");
		Map<String, String> ended = Map.of("negative", "epoch = -1", "used-up", "epoch = " + Long.MAX_VALUE);
		List<String> roles = new ArrayList<>(kept.keySet());
		roles.addAll(lost.keySet());
		roles.addAll(ended.keySet());
		roles.add(GOOD);
		try (Replicas replicas = new Replicas(TIMING, roles.toArray(String[]::new))) {
			replicas.expectErrors();
			Replica leader = replicas.startLeader(dataSource);
			Replica other = replicas.startFollower(dataSource);
			for (Map<String, String> spoiled : List.of(kept, lost, ended)) {
				spoiled.forEach((role, garbage) -> jdbc
					.update("update leader_lease set %s where role = '%s'".formatted(garbage, role)));
			}
			Replicas.until("end of the terms",
					() -> lost.keySet()
						.stream()
						.allMatch((role) -> !leader.leads(role) || replicas.lastEpoch(role) > 1));
			Replicas.until("next terms",
					() -> lost.keySet()
						.stream()
						.allMatch((role) -> replicas.anyLeads(role) && replicas.terms(role).size() > 1));
			Replicas.until("end of what cannot go on", () -> ended.keySet().stream().noneMatch(replicas::anyLeads));
			leader.awaitRenewals();
			for (String role : kept.keySet()) {
				assertThat(leader.leads(role)).as(role).isTrue();
				assertThat(replicas.terms(role)).as(role).hasSize(1);
			}
			assertThat(replicas.terms(GOOD)).hasSize(1);
			assertThat(lost.keySet()).allMatch((role) -> replicas.terms(role).size() == 2);
			assertThat(ended.keySet()).noneMatch(replicas::anyLeads);
			Replicas.until("answers", () -> leader.failure().isEmpty() && other.failure().isEmpty());
			Replicas.until("told",
					() -> replicas.logged()
						.stream()
						.anyMatch((message) -> message.contains("The role 'negative' has the epoch -1")));
		}
	}

	@ParameterizedTest
	@EnumSource
	void veryLongLeaseIsLoggedOnceAndTakenOverWhenAPersonShortensIt(Database database) {
		DriverManagerDataSource dataSource = database.create();
		JdbcTemplate jdbc = new JdbcTemplate(dataSource);
		createTable(dataSource);
		long now = System.currentTimeMillis() * 1000;
		long ttl = TIMING.ttl().toMillis() * 1000;
		insert(jdbc, "day", 7, "gone", "t", now + 1440 * MINUTE, 1440 * MINUTE);
		insert(jdbc, "endless", 7, "gone", "t", Long.MAX_VALUE, Long.MAX_VALUE);
		insert(jdbc, "longer", 7, "gone", "t", now + 5 * ttl, 5 * ttl);
		try (Replicas replicas = new Replicas(TIMING, "day", "endless", "longer", GOOD)) {
			Replica only = replicas.start(dataSource);
			Replicas.until("leader of the good role", () -> only.leads(GOOD));
			only.awaitRenewals();
			only.poll();
			assertThat(replicas.anyLeads("day") || replicas.anyLeads("endless")).isFalse();
			for (String role : List.of("day", "endless")) {
				assertThat(replicas.logged())
					.filteredOn((message) -> message.contains("The row of the role '" + role)
							&& message.contains("names 'gone' as its holder")
							&& message.contains("set it there to 12000 ms"))
					.hasSize(1);
			}
			assertThat(replicas.logged()).noneMatch((message) -> message.contains("'longer'"));
			jdbc.update("update leader_lease set ttl_us = ? where ttl_us > ?", TTL.toMillis() * 1000, 60 * MINUTE);
			Replicas.until("leader of what was repaired", () -> only.leads("day") && only.leads("endless"));
			assertThat(only.epoch("day")).isEqualTo(8);
		}
	}

	@ParameterizedTest
	@EnumSource
	void rowThatCannotBeReleasedIsNotAskedForWithoutEnd(Database database) {
		DriverManagerDataSource dataSource = database.create();
		JdbcTemplate jdbc = new JdbcTemplate(dataSource);
		FailingDataSource counting = new FailingDataSource(dataSource);
		try (Replicas replicas = new Replicas(TTL, GOOD)) {
			Replica only = replicas.startLeader(counting);
			// It names the member, but no release finds it.
			jdbc.update("update leader_lease set term_id = null");
			Replicas.until("end of the term", () -> !only.leads(GOOD) || replicas.lastEpoch(GOOD) > 1);
			int before = counting.statements();
			assertThat(replicas.awaitTermAfter(1, GOOD)).isEqualTo(2);
			assertThat(counting.statements() - before).isLessThan(60);
		}
	}

	private static String insert(JdbcTemplate jdbc, String role, long epoch, String holder, String termId, long expires,
			long ttl) {
		jdbc.update("insert into leader_lease (namespace, role, epoch, holder, term_id, acquired_at_us, expires_at_us, "
				+ "ttl_us) values ('faults', ?, ?, ?, ?, 0, ?, ?)", role, epoch, holder, termId, expires, ttl);
		return role;
	}

	private static void createTable(DriverManagerDataSource dataSource) {
		try (LeaseStore store = new JdbcLeaseStoreFactory(() -> dataSource,
				new JdbcLeaseProperties(new SchemaSettings("leader_", SchemaInitialization.ALWAYS, null), TTL))
			.create(new StoreIdentity("faults", "preparing", TTL))) {
			store.prepare();
		}
	}

}
