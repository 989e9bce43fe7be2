package io.leaderstarter.election;

import java.time.Duration;

import io.leaderstarter.election.FaultyLeaseStore.Fault;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Isolated;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the warning of {@link Membership}. Other tests log it too.
 */
@Isolated
@ExtendWith(OutputCaptureExtension.class)
class MembershipWarningTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	@Test
	void listThatCannotBeHadIsSaidOnce(CapturedOutput output) {
		try (Cluster cluster = new Cluster(Cluster.BRIEF)) {
			Cluster.Node a = cluster.start("invoices");
			await().atMost(PATIENCE).until(() -> a.leads("invoices"));
			a.store().fail("announce", Fault.LOSE_REQUEST);
			int before = a.store().requests("announce");
			await().atMost(PATIENCE).until(() -> a.store().requests("announce") >= before + 5);
			assertThat(a.elections().storeStatus().isReachable()).isTrue();
			assertThat(output.getOut().split("cannot list the members", -1)).hasSize(2);
			assertThat(a.elections().members()).as("too old to be told").isEmpty();
			a.store().heal();
			await().atMost(PATIENCE).until(() -> a.elections().members().size() == 1);
		}
	}

}
