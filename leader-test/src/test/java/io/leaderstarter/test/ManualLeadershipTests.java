package io.leaderstarter.test;

import java.time.Duration;

import io.leaderstarter.LeaderElection;
import io.leaderstarter.LeaderElections;
import io.leaderstarter.Leadership;
import io.leaderstarter.LeadershipRevokedEvent;
import io.leaderstarter.RevocationReason;
import io.leaderstarter.StaleLeaderException;
import io.leaderstarter.test.Billing.Invoices;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link ManualLeadership}, written as tests of an application are.
 */
@SpringBootTest(properties = { "spring.application.name=billing", "leader.candidate.enabled=true" })
class ManualLeadershipTests {

	@Autowired
	private ManualLeadership leadership;

	@Autowired
	private LeaderElections elections;

	@Autowired
	private Invoices invoices;

	@BeforeEach
	void clear() {
		this.invoices.whileClosing(() -> {
		});
		this.invoices.deleteAll();
	}

	@Test
	void memberLeadsNothingByItself() {
		this.invoices.close();
		assertThat(this.invoices.epochs()).isEmpty();
		assertThat(this.elections.all()).hasSize(2).noneMatch(LeaderElection::isLeader);
	}

	@Test
	void memberLeadsWhatItIsGranted() {
		this.leadership.grant("invoices");
		this.invoices.close();
		assertThat(this.invoices.epochs()).hasSize(1);
		assertThat(this.elections.election("reports").isLeader()).isFalse();
	}

	@Test
	@LeadsEverything
	void memberCanLeadEverythingWithOneLine() {
		assertThat(this.elections.all()).hasSize(2).allMatch(LeaderElection::isLeader);
	}

	@Test
	@LeadsEverything
	void whatIsRevokedIsNotGivenBackWithEverythingElse() {
		this.leadership.revoke("invoices");
		this.leadership.advance(Duration.ofMinutes(1));
		assertThat(this.elections.election("invoices").isLeader()).isFalse();
		assertThat(this.elections.election("reports").isLeader()).isTrue();
		this.leadership.grant("invoices");
		assertThat(this.elections.election("invoices").isLeader()).isTrue();
	}

	@Test
	void memberLosesWhatIsRevokedAndHasANewEpochWhenItGetsItBack() {
		this.leadership.grant("invoices");
		Leadership term = this.elections.election("invoices").leadership().orElseThrow();
		this.invoices.close();
		this.leadership.grant("reports");
		this.leadership.revoke("invoices");
		this.invoices.close();
		assertThat(this.elections.election("reports").isLeader()).isTrue();
		this.leadership.grant("invoices");
		this.invoices.close();
		assertThat(this.invoices.epochs()).hasSize(2).doesNotHaveDuplicates();
		assertRevoked(term, RevocationReason.SUPERSEDED);
	}

	@Test
	void writeOfAZombieIsRefused() {
		this.leadership.grant("invoices");
		Leadership term = this.elections.election("invoices").leadership().orElseThrow();
		this.invoices.whileClosing(() -> {
			this.leadership.expire("invoices");
			// It has not noticed.
			assertThat(this.elections.election("invoices").isLeader()).isTrue();
		});
		assertThatExceptionOfType(StaleLeaderException.class).isThrownBy(this.invoices::close);
		assertThat(this.invoices.epochs()).isEmpty();
		assertThat(this.elections.election("invoices").isLeader()).isFalse();
		assertRevoked(term, RevocationReason.FENCE_REFUSED);
	}

	/** Events are published later, so one of an earlier test can be among them. */
	private void assertRevoked(Leadership term, RevocationReason reason) {
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.untilAsserted(
					() -> assertThat(this.invoices.revoked()).filteredOn((event) -> event.leadership().equals(term))
						.extracting(LeadershipRevokedEvent::reason)
						.containsExactly(reason));
	}

	@Test
	void leaseThatRanOutUnnoticedEndsTheTermWhenTimeMovesOn() {
		this.leadership.grant("invoices");
		this.leadership.expire("invoices");
		assertThat(this.elections.election("invoices").isLeader()).isTrue();
		this.leadership.advance(Duration.ofSeconds(15));
		assertThat(this.elections.election("invoices").isLeader()).isFalse();
		this.invoices.whileClosing(() -> {
		});
		this.leadership.grant("invoices");
		this.invoices.close();
		assertThat(this.invoices.epochs()).hasSize(1);
	}

	@Test
	void leaseLastsAsLongAsItIsRenewedAndRunsOutOtherwise() {
		this.leadership.grant("invoices");
		this.leadership.advance(Duration.ofHours(1));
		assertThat(this.elections.election("invoices").isLeader()).isTrue();
		this.leadership.disconnect();
		this.leadership.advance(Duration.ofSeconds(5));
		assertThat(this.elections.election("invoices").isLeader()).isTrue();
		this.leadership.advance(Duration.ofSeconds(15));
		assertThat(this.elections.election("invoices").isLeader()).isFalse();
		this.leadership.reconnect();
		this.leadership.grant("invoices");
		assertThat(this.elections.election("invoices").isLeader()).isTrue();
	}

	@Test
	void memberThatResignedStandsAsideUntilTimeHasPassed() {
		this.leadership.grant("invoices");
		this.elections.election("invoices").resign();
		this.leadership.advance(Duration.ofMinutes(1));
		this.leadership.grant("invoices");
		assertThat(this.elections.election("invoices").isLeader()).isTrue();
	}

	@Test
	void roleThatIsGrantedAfterItRanOutHasANewEpoch() {
		this.leadership.grant("invoices");
		this.leadership.expire("invoices");
		this.leadership.grant("invoices");
		this.invoices.close();
		assertThat(this.invoices.epochs()).hasSize(1);
	}

	@Test
	void leaseLastsThroughManySmallSteps() {
		this.leadership.grant("invoices");
		for (int i = 0; i < 100; i++) {
			this.leadership.advance(Duration.ofSeconds(1));
		}
		assertThat(this.elections.election("invoices").isLeader()).isTrue();
	}

	@Test
	void leaseLastsThoughARenewalComesEarlyInAStep() {
		this.leadership.grant("invoices");
		for (int i = 0; i < 20; i++) {
			// Renewals come a little before their interval of 5 s is over.
			this.leadership.advance(Duration.ofMillis(4900));
			assertThat(this.elections.election("invoices").isLeader()).isTrue();
		}
	}

	@Test
	void whatCannotBeIsExplained() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.leadership.grant("misspelt"))
			.withMessageContaining("roles of this member: [invoices, reports]");
		assertThatIllegalStateException().isThrownBy(() -> this.leadership.expire("invoices"))
			.withMessageContaining("does not lead 'invoices'");
	}

}
