package io.leaderstarter.backend.jdbc.faults;

import java.time.Duration;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.leaderstarter.TestContexts;
import io.leaderstarter.backend.jdbc.faults.Replicas.Replica;
import io.leaderstarter.election.state.LeaseTiming;
import io.leaderstarter.testsupport.FaultProxy;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for elections over a database while the network between them fails. That nobody
 * leads beside another one is watched in all of them, by {@link Replicas}.
 */
@Order(2)
@Tag("verify")
@ResourceLock(value = TestContexts.LOG, mode = ResourceAccessMode.READ)
class NetworkFaultTests {

	private static final String ROLE = "invoices";

	private static final Duration TTL = Duration.ofSeconds(2);

	static Stream<Arguments> faults() {
		return Arrays.stream(Database.values())
			.flatMap((database) -> Arrays.stream(Fault.values()).map((fault) -> Arguments.of(database, fault)));
	}

	@ParameterizedTest
	@MethodSource("faults")
	void leaderThatIsCutOffEndsInTimeAndPollsWhenItIsBack(Database database, Fault fault) {
		DriverManagerDataSource direct = database.create();
		try (FaultProxy proxy = new FaultProxy(database.port()); Replicas replicas = new Replicas(TTL, ROLE)) {
			Replica leader = replicas.startLeader(database.through(direct, proxy.port()));
			Replica other = replicas.startFollower(direct, Replicas.LASTING);
			long epoch = leader.epoch(ROLE);
			fault.begin.accept(proxy);
			// A renewal that was sent before may still be counted.
			long begin = System.nanoTime();
			assertThat(Replicas.ledSince(begin, () -> leader.leads(ROLE))).isLessThan(TTL.plusMillis(200));
			Replicas.until("other leader", () -> other.leads(ROLE));
			assertThat(other.epoch(ROLE)).isEqualTo(epoch + 1);
			Replicas.until("knowing why", () -> !leader.failure().isEmpty());
			proxy.heal();
			Replicas.until("following", () -> leader.follows(other, ROLE));
			assertThat(other.epoch(ROLE)).isEqualTo(epoch + 1);
		}
	}

	@ParameterizedTest
	@MethodSource("faults")
	void shortFaultDoesNotEndATerm(Database database, Fault fault) throws Exception {
		DriverManagerDataSource direct = database.create();
		try (FaultProxy proxy = new FaultProxy(database.port());
				Replicas replicas = new Replicas(Replicas.LASTING, ROLE)) {
			Replica leader = replicas.startLeader(database.through(direct, proxy.port()));
			Replica other = replicas.startFollower(database.through(direct, proxy.port()));
			long epoch = leader.epoch(ROLE);
			fault.begin.accept(proxy);
			Replicas.letPass(Duration.ofMillis(250));
			proxy.heal();
			leader.awaitRenewals();
			Replicas.until("following", () -> other.follows(leader, ROLE));
			assertThat(leader.epoch(ROLE)).isEqualTo(epoch);
		}
	}

	@ParameterizedTest
	@EnumSource
	void connectionsThatTheServerForgotAreReplacedBeforeTheDeadline(Database database) {
		DriverManagerDataSource direct = database.create();
		try (FaultProxy proxy = new FaultProxy(database.port());
				Replicas replicas = new Replicas(Replicas.LASTING, ROLE)) {
			Replica leader = replicas.startLeader(database.through(direct, proxy.port()));
			Replica other = replicas.startFollower(database.through(direct, proxy.port()));
			long epoch = leader.epoch(ROLE);
			proxy.halfOpen();
			leader.awaitRenewals();
			Replicas.until("following", () -> other.follows(leader, ROLE));
			assertThat(leader.epoch(ROLE)).isEqualTo(epoch);
		}
	}

	@ParameterizedTest
	@EnumSource
	void slowNetworkEndsNoTerm(Database database) {
		DriverManagerDataSource direct = database.create();
		// After a pause of the machine a connection is opened again, which takes
		// more round trips than a short request has time for.
		LeaseTiming patient = LeaseTiming.of(Replicas.LASTING.ttl(), Replicas.LASTING.renewInterval(), null);
		try (FaultProxy proxy = new FaultProxy(database.port()); Replicas replicas = new Replicas(patient, ROLE)) {
			Replica leader = replicas.startLeader(database.through(direct, proxy.port()));
			Replica other = replicas.startFollower(database.through(direct, proxy.port()));
			long epoch = leader.epoch(ROLE);
			proxy.delayRequests(Duration.ofMillis(40));
			proxy.delayAnswers(Duration.ofMillis(40));
			leader.awaitRenewals(Replicas.LASTING.requestTimeout());
			Replicas.until("following", () -> other.follows(leader, ROLE) && leader.failure().isEmpty());
			assertThat(leader.epoch(ROLE)).isEqualTo(epoch);
		}
	}

	@ParameterizedTest
	@EnumSource
	void connectionsThatAreClosedRepeatedlyCostAtMostATerm(Database database) throws Exception {
		DriverManagerDataSource direct = database.create();
		try (FaultProxy proxy = new FaultProxy(database.port());
				Replicas replicas = new Replicas(Replicas.ROOMY, ROLE)) {
			replicas.startLeader(database.through(direct, proxy.port()));
			replicas.startFollower(database.through(direct, proxy.port()));
			for (int i = 0; i < 20; i++) {
				proxy.cut();
				Replicas.letPass(Duration.ofMillis(20 + 13 * i));
			}
			Replicas.until("leader", () -> replicas.anyLeads(ROLE));
			assertThat(replicas.terms(ROLE)).hasSizeLessThanOrEqualTo(3);
		}
	}

	@ParameterizedTest
	@EnumSource
	void requestsOfManyFaultsThatArriveTogetherTakeNothingFromAnybody(Database database) {
		DriverManagerDataSource direct = database.create();
		try (FaultProxy one = new FaultProxy(database.port());
				FaultProxy two = new FaultProxy(database.port());
				Replicas replicas = new Replicas(TTL, ROLE)) {
			Replica first = replicas.startLeader(database.through(direct, one.port()));
			Replica second = replicas.startFollower(database.through(direct, two.port()));
			for (int round = 0; round < 2; round++) {
				one.holdRequests();
				Replicas.until("second leads", () -> second.leads(ROLE));
				two.holdRequests();
				// All that the first one asked meanwhile arrives now, and late.
				one.heal();
				Replicas.until("first leads", () -> first.leads(ROLE));
				two.heal();
				Replicas.until("one leader and one follower",
						() -> second.follows(first, ROLE) || first.follows(second, ROLE));
				// During a pause of the machine a term may expire, but none is revoked.
				assertThat(first.ends(ROLE)).allMatch("LEASE_EXPIRED"::equals);
				assertThat(second.ends(ROLE)).allMatch("LEASE_EXPIRED"::equals);
			}
		}
	}

	enum Fault {

		FREEZE(FaultProxy::freeze),

		REFUSE(FaultProxy::refuse),

		DROP_ANSWERS(FaultProxy::dropAnswers),

		HOLD_REQUESTS(FaultProxy::holdRequests);

		private final Consumer<FaultProxy> begin;

		Fault(Consumer<FaultProxy> begin) {
			this.begin = begin;
		}

	}

}
