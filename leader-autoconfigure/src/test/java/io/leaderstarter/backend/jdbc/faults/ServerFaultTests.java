package io.leaderstarter.backend.jdbc.faults;

import java.time.Duration;

import io.leaderstarter.TestContexts;
import io.leaderstarter.Leadership;
import io.leaderstarter.backend.jdbc.faults.Replicas.Replica;
import io.leaderstarter.testsupport.OwnServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for elections over a database whose server crashes, is paused or fails over. That
 * nobody leads beside another one, and that epochs only grow, is watched in all of them,
 * by {@link Replicas}.
 */
@Tag("verify")
@ResourceLock(value = TestContexts.LOG, mode = ResourceAccessMode.READ)
class ServerFaultTests {

	private static final String ROLE = "invoices";

	private static final Duration TTL = Duration.ofSeconds(2);

	/**
	 * How long a term may last after the last answer of the server, on a busy machine.
	 */
	private static final Duration END_OF_TERM = TTL.plusMillis(200);

	@ParameterizedTest
	@EnumSource
	void serverThatDiesAndComesBackSoonCostsAtMostOneTerm(Database database) {
		try (OwnServer server = database.ownServer(); Replicas replicas = new Replicas(Replicas.ROOMY, ROLE)) {
			Replica one = replicas.startLeader(server.dataSource());
			Replica other = replicas.startFollower(server.dataSource());
			long epoch = one.epoch(ROLE);
			for (int crash = 1; crash <= 3; crash++) {
				server.kill();
				server.start();
				Replicas.until("one leader and one follower",
						() -> one.follows(other, ROLE) || other.follows(one, ROLE));
				assertThat(replicas.terms(ROLE)).last()
					.extracting(Leadership::epoch)
					.satisfies((last) -> assertThat(last).isLessThanOrEqualTo(epoch + 3));
			}
			assertThat(replicas.terms(ROLE)).hasSizeLessThanOrEqualTo(4);
		}
	}

	@ParameterizedTest
	@EnumSource
	void serverThatIsDeadForLongEndsTheTermAndEpochsGoOnWhenItIsBack(Database database) throws Exception {
		try (OwnServer server = database.ownServer(); Replicas replicas = new Replicas(TTL, ROLE)) {
			Replica one = replicas.startLeader(server.dataSource());
			Replica other = replicas.startFollower(server.dataSource());
			long epoch = one.epoch(ROLE);
			server.kill();
			assertThat(replicas.ledSince(System.nanoTime(), ROLE)).isLessThan(END_OF_TERM);
			Replicas.letPass(TTL);
			assertThat(replicas.anyLeads(ROLE)).isFalse();
			Replicas.until("knowing why", () -> !one.failure().isEmpty());
			server.start();
			assertThat(replicas.awaitTermAfter(epoch, ROLE)).isEqualTo(epoch + 1);
			Replicas.until("one leader and one follower", () -> one.follows(other, ROLE) || other.follows(one, ROLE));
		}
	}

	@ParameterizedTest
	@EnumSource
	void pausedServerEndsTheTermAndAMemberLeadsSoonAfterItIsResumed(Database database) throws Exception {
		try (OwnServer server = database.ownServer(); Replicas replicas = new Replicas(TTL, ROLE)) {
			Replica one = replicas.startLeader(server.dataSource());
			Replica other = replicas.startFollower(server.dataSource());
			long epoch = one.epoch(ROLE);
			server.freeze();
			assertThat(replicas.ledSince(System.nanoTime(), ROLE)).isLessThan(END_OF_TERM);
			Replicas.letPass(TTL);
			// What was sent before now arrives, all at once: renewals of a term that is
			// over, and connections that nobody waits for.
			server.goOn();
			replicas.awaitTermAfter(epoch, ROLE, TTL.multipliedBy(2));
			Replicas.until("one leader and one follower", () -> one.follows(other, ROLE) || other.follows(one, ROLE));
		}
	}

	@ParameterizedTest
	@EnumSource
	void serverThatIsPausedForAMomentEndsNoTerm(Database database) throws Exception {
		try (OwnServer server = database.ownServer(); Replicas replicas = new Replicas(Replicas.LASTING, ROLE)) {
			Replica leader = replicas.startLeader(server.dataSource());
			Replica other = replicas.startFollower(server.dataSource());
			long epoch = leader.epoch(ROLE);
			server.freeze();
			Replicas.letPass(Duration.ofMillis(400));
			server.goOn();
			leader.awaitRenewals();
			Replicas.until("following", () -> other.follows(leader, ROLE));
			assertThat(leader.epoch(ROLE)).isEqualTo(epoch);
		}
	}

	@ParameterizedTest
	@EnumSource
	void databaseThatBecomesReadOnlyIsRefusedAndUsedAgainWhenItIsWritable(Database database) {
		try (OwnServer server = database.ownServer(); Replicas replicas = new Replicas(TTL, ROLE)) {
			Replica one = replicas.startLeader(server.dataSource());
			Replica other = replicas.startFollower(server.dataSource());
			long epoch = one.epoch(ROLE);
			server.refuseWrites(true);
			Replicas.until("end of the term", () -> !replicas.anyLeads(ROLE));
			Replicas.until("both know why",
					() -> one.failure().contains("read-only") && other.failure().contains("read-only"));
			assertThat(replicas.logged()).anyMatch((message) -> message.contains("backend did not answer"));
			server.refuseWrites(false);
			assertThat(replicas.awaitTermAfter(epoch, ROLE)).isEqualTo(epoch + 1);
			Replicas.until("one leader and one follower", () -> one.follows(other, ROLE) || other.follows(one, ROLE));
		}
	}

	@ParameterizedTest
	@EnumSource
	void replicaIsRefusedUntilItIsPromoted(Database database) {
		try (OwnServer server = database.ownServer(); Replicas replicas = new Replicas(TTL, ROLE)) {
			Replica one = replicas.startLeader(server.dataSource());
			Replica other = replicas.startFollower(server.dataSource());
			long epoch = one.epoch(ROLE);
			server.restartAsReplica();
			Replicas.until("end of the term", () -> !replicas.anyLeads(ROLE));
			Replicas.until("both know why", () -> one.failure().contains("read-only, perhaps a replica")
					&& other.failure().contains("read-only, perhaps a replica"));
			server.promote();
			assertThat(replicas.awaitTermAfter(epoch, ROLE)).isEqualTo(epoch + 1);
			Replicas.until("one leader and one follower", () -> one.follows(other, ROLE) || other.follows(one, ROLE));
		}
	}

}
