package io.leaderstarter.backend.jdbc.faults;

import java.time.Duration;

import io.leaderstarter.TestContexts;
import io.leaderstarter.backend.jdbc.faults.Replicas.Replica;
import io.leaderstarter.testsupport.FakeClock;
import io.leaderstarter.testsupport.FaultProxy;
import io.leaderstarter.testsupport.OwnServer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for elections over a database whose clock is set. The clock of its server is
 * turned while that of the members goes on, so "at once" means at once in true time. That
 * nobody leads beside another one is watched in all of them, by {@link Replicas}.
 */
@Order(1)
@Tag("verify")
@ResourceLock(value = TestContexts.LOG, mode = ResourceAccessMode.READ)
@ParameterizedClass
@EnumSource
class ServerClockFaultTests {

	private static final String ROLE = "invoices";

	private static final Duration TTL = Duration.ofSeconds(2);

	private static FakeClock clock;

	private static OwnServer server;

	@Parameter
	Database database;

	@BeforeParameterizedClassInvocation
	static void startServer(Database database) {
		clock = new FakeClock();
		server = database.ownServer(clock);
	}

	@AfterParameterizedClassInvocation
	static void stopServer() {
		if (server != null) {
			server.close();
			server = null;
		}
		clock.close();
	}

	@BeforeEach
	void reset() {
		clock.set(Duration.ZERO);
		new JdbcTemplate(server.dataSource()).execute("drop table if exists leader_lease");
	}

	@Test
	void clockOfTheServerIsTheOneThatIsTurned() {
		JdbcTemplate jdbc = new JdbcTemplate(server.dataSource());
		for (long seconds : new long[] { 1000, -1000, 0 }) {
			clock.set(Duration.ofSeconds(seconds));
			long before = System.currentTimeMillis() / 1000;
			Long there = jdbc.queryForObject("select " + this.database.nowMicros(), Long.class);
			long after = System.currentTimeMillis() / 1000;
			assertThat(there / 1_000_000 - seconds).isBetween(before - 5, after + 5);
		}
	}

	@ParameterizedTest
	@ValueSource(longs = { 22_500, 31_500, 150_000 })
	void stepForwardIsNoticedAndNeverMakesTwoLead(long millis) {
		try (Replicas replicas = new Replicas(Replicas.LASTING, ROLE)) {
			Replica one = replicas.startLeader(server.dataSource());
			Replica other = replicas.startFollower(server.dataSource());
			// So that the other one has seen a lease that was renewed.
			one.awaitRenewals();
			other.poll();
			clock.set(Duration.ofMillis(millis));
			Replicas.until("step is noticed", () -> other.elections.storeStatus().clockSteps() == 1);
			untilLogged(replicas, "The clock of the jdbc backend was set forward");
			// The first one may lead yet, and lose the role with its next renewal.
			replicas.awaitRenewalsOfTheLeader(ROLE);
			Replicas.until("one leader and one follower", () -> one.follows(other, ROLE) || other.follows(one, ROLE));
			assertThat(replicas.terms(ROLE)).hasSizeLessThanOrEqualTo(2);
		}
	}

	@ParameterizedTest
	@ValueSource(longs = { 1500, 2100, 10_000 })
	void stepForwardWhileTheLeaderIsAwayNeverMakesTwoLead(long millis) throws Exception {
		try (Replicas replicas = new Replicas(TTL, ROLE); FaultProxy proxy = new FaultProxy(server.port())) {
			Replica one = replicas.startLeader(server.through(proxy.port()));
			Replica other = replicas.startFollower(server.dataSource(), Replicas.LASTING);
			Replicas.letPass(TTL);
			// The term lasts almost a ttl yet, and by the server's clock it is over.
			proxy.freeze();
			clock.set(Duration.ofMillis(millis));
			Replicas.until("other leader", () -> other.leads(ROLE));
			proxy.heal();
			Replicas.until("following", () -> one.follows(other, ROLE));
		}
	}

	@ParameterizedTest
	@ValueSource(longs = { 22_500, 31_500, 3_600_000 })
	void stepBackIsNoticedAndAMemberLeadsWithinAboutTheTtl(long millis) {
		try (Replicas replicas = new Replicas(Replicas.LASTING, ROLE)) {
			Replica one = replicas.startLeader(server.dataSource());
			Replica other = replicas.startFollower(server.dataSource());
			long epoch = one.epoch(ROLE);
			clock.set(Duration.ofMillis(-millis));
			Replicas.until("step is noticed", () -> other.elections.storeStatus().clockSteps() == 1);
			untilLogged(replicas, "The clock of the jdbc backend was set back");
			one.awaitRenewals();
			Replicas.until("following", () -> other.follows(one, ROLE));
			assertThat(one.epoch(ROLE)).as("renewals go on").isEqualTo(epoch);
		}
	}

	@ParameterizedTest
	@ValueSource(longs = { 1500, 2100, 3_600_000 })
	void leaseThatWouldLastForEverAfterAStepBackIsTakenWithinAboutTheTtl(long millis) {
		try (Replicas replicas = new Replicas(TTL, ROLE); FaultProxy proxy = new FaultProxy(server.port())) {
			Replica one = replicas.startLeader(server.through(proxy.port()));
			Replica other = replicas.startFollower(server.dataSource(), Replicas.LASTING);
			long epoch = one.epoch(ROLE);
			proxy.freeze();
			clock.set(Duration.ofMillis(-millis));
			replicas.awaitTermAfter(epoch, ROLE, TTL.multipliedBy(2));
			proxy.heal();
			Replicas.until("following", () -> one.follows(other, ROLE));
		}
	}

	/** It is counted before listeners are notified. */
	private static void untilLogged(Replicas replicas, String text) {
		Replicas.until("'" + text + "' is logged",
				() -> replicas.logged().stream().anyMatch((message) -> message.contains(text)));
	}

}
