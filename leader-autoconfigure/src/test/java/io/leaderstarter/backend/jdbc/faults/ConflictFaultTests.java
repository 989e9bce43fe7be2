package io.leaderstarter.backend.jdbc.faults;

import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import io.leaderstarter.TestContexts;
import io.leaderstarter.Leadership;
import io.leaderstarter.backend.jdbc.faults.Replicas.Replica;
import io.leaderstarter.testsupport.AdaptedDataSource;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for elections that others get in the way of: locks on the table, and statements
 * that the database rolls back because of other transactions. That nobody leads beside
 * another one is watched in all of them, by {@link Replicas}.
 */
@Order(2)
@Tag("verify")
@ResourceLock(value = TestContexts.LOG, mode = ResourceAccessMode.READ)
class ConflictFaultTests {

	private static final String ROLE = "invoices";

	private static final Duration TTL = Duration.ofSeconds(2);

	/** Room for some tries before a term ends. */
	private static final Duration LONG_TTL = Duration.ofSeconds(4);

	static Stream<Arguments> states() {
		return Arrays.stream(Database.values())
			.flatMap((database) -> Stream.of("40001", "40P01").map((state) -> Arguments.of(database, state)));
	}

	@ParameterizedTest
	@EnumSource
	void lockOnTheTableEndsTheTermAndPilesUpNothingInTheServer(Database database) throws Exception {
		DriverManagerDataSource dataSource = database.create();
		JdbcTemplate jdbc = new JdbcTemplate(dataSource);
		try (Replicas replicas = new Replicas(LONG_TTL, ROLE)) {
			Replica one = replicas.startLeader(dataSource);
			Replica other = replicas.startFollower(dataSource);
			long epoch = one.epoch(ROLE);
			int most = 0;
			try (Connection blocker = dataSource.getConnection(); Statement statement = blocker.createStatement()) {
				statement.execute(database.lockTable());
				long end = System.nanoTime() + LONG_TTL.multipliedBy(2).toNanos();
				while (System.nanoTime() - end < 0) {
					most = Math.max(most, jdbc.queryForObject(database.waitingSessions(), Integer.class));
					Replicas.letPass(Duration.ofMillis(20));
				}
				assertThat(replicas.anyLeads(ROLE)).isFalse();
				Replicas.until("both know why", () -> !one.failure().isEmpty() && !other.failure().isEmpty());
				statement.execute(database.unlockTable());
			}
			// One of each member, and for an instant one whose end is on its way.
			assertThat(most).isBetween(1, 3);
			assertThat(replicas.awaitTermAfter(epoch, ROLE, LONG_TTL.multipliedBy(2))).isEqualTo(epoch + 1);
			Replicas.until("nobody waits", () -> jdbc.queryForObject(database.waitingSessions(), Integer.class) == 0);
			Replicas.until("one leader and one follower", () -> one.follows(other, ROLE) || other.follows(one, ROLE));
		}
	}

	@ParameterizedTest
	@MethodSource("states")
	void statementsThatAreRolledBackAreTriedAgainBeforeTheDeadline(Database database, String state) throws Exception {
		DriverManagerDataSource dataSource = database.create();
		FailingDataSource failing = new FailingDataSource(dataSource);
		try (Replicas replicas = new Replicas(Replicas.LASTING, ROLE)) {
			Replica leader = replicas.startLeader(failing);
			Replica other = replicas.startFollower(failing);
			long epoch = leader.epoch(ROLE);
			failing.fail(state);
			Replicas.until("a renewal failed", () -> !leader.failure().isEmpty());
			Replicas.letPass(Duration.ofMillis(300));
			failing.heal();
			leader.awaitRenewals();
			Replicas.until("following", () -> other.follows(leader, ROLE));
			assertThat(leader.epoch(ROLE)).isEqualTo(epoch);
		}
	}

	@ParameterizedTest
	@MethodSource("states")
	void rollbacksWithoutEndEndTheTermAndAMemberLeadsAfterThem(Database database, String state) throws Exception {
		DriverManagerDataSource dataSource = database.create();
		FailingDataSource failing = new FailingDataSource(dataSource);
		try (Replicas replicas = new Replicas(LONG_TTL, ROLE)) {
			Replica leader = replicas.startLeader(failing);
			Replica other = replicas.startFollower(failing);
			long epoch = leader.epoch(ROLE);
			int before = failing.statements();
			failing.fail(state);
			assertThat(replicas.ledSince(System.nanoTime(), ROLE)).isLessThan(LONG_TTL.plusMillis(200));
			Replicas.letPass(LONG_TTL);
			assertThat(failing.statements() - before).as("tries, with pauses in between").isLessThan(60);
			failing.heal();
			assertThat(replicas.awaitTermAfter(epoch, ROLE)).isEqualTo(epoch + 1);
			Replicas.until("one leader and one follower",
					() -> leader.follows(other, ROLE) || other.follows(leader, ROLE));
		}
	}

	@ParameterizedTest
	@EnumSource
	void grantsWhoseAnswersAreLostAreFoundOrGivenBack(Database database) throws Exception {
		DriverManagerDataSource dataSource = database.create();
		FailingDataSource failing = new FailingDataSource(dataSource);
		try (Replicas replicas = new Replicas(TTL, ROLE)) {
			Replica one = replicas.startLeader(failing);
			Replica other = replicas.startFollower(failing);
			for (String state : List.of("08006", "40001", "40P01")) {
				long epoch = replicas.lastEpoch(ROLE);
				failing.failAfterwards(state);
				Replicas.until("end of the term", () -> !replicas.anyLeads(ROLE));
				Replicas.letPass(TTL);
				failing.heal();
				replicas.awaitTermAfter(epoch, ROLE);
				Replicas.until("one leader and one follower",
						() -> one.follows(other, ROLE) || other.follows(one, ROLE));
			}
		}
	}

	@ParameterizedTest
	@EnumSource
	void manyMembersAndRolesInTheStrictestIsolationAllGetOnWithEachOther(Database database) throws Exception {
		DriverManagerDataSource dataSource = database.create();
		AdaptedDataSource strict = new AdaptedDataSource(dataSource,
				(connection) -> connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE));
		String[] roles = Stream.iterate(0, (i) -> i + 1).limit(20).map((i) -> "role-" + i).toArray(String[]::new);
		try (Replicas replicas = new Replicas(LONG_TTL, roles)) {
			List<Replica> members = Stream.generate(() -> replicas.start(strict)).limit(4).toList();
			for (int round = 0; round < 2; round++) {
				Replicas.until("leaders", () -> Arrays.stream(roles).allMatch(replicas::anyLeads));
				members.forEach((member) -> member.resign());
			}
			Replicas.until("leaders", () -> Arrays.stream(roles).allMatch(replicas::anyLeads));
			for (String role : roles) {
				assertThat(replicas.terms(role)).extracting(Leadership::epoch).isSorted();
			}
		}
	}

}
