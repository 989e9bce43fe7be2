package io.leaderstarter.election;

import java.util.List;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.leaderstarter.LeaderElections;
import io.leaderstarter.TestContexts;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that the log has each change of a role, once.
 */
@Isolated("other tests log the same")
@ExtendWith(OutputCaptureExtension.class)
class TransitionLogTests {

	private final Logger logger = (Logger) LoggerFactory.getLogger(TransitionLog.class);

	@BeforeEach
	void log() {
		this.logger.setLevel(Level.INFO);
	}

	@AfterEach
	void logAsBefore() {
		this.logger.setLevel(null);
	}

	@Test
	void eachTransitionIsOneLineWithRoleEpochAndReason(CapturedOutput output) {
		TestContexts.jdbc(TestContexts.h2())
			.withPropertyValues("leader.lease.ttl=1m", "leader.lease.renew-interval=100ms", "test.roles=duty")
			.run((context) -> {
				TestContexts.lead(context, "duty");
				DefaultLeaderElections elections = context.getBean(DefaultLeaderElections.class);
				String member = context.getBean(LeaderElections.class).member().id();
				int renewals = renewals(elections, 6);
				assertThat(renewals).isEqualTo(6);
				elections.election("duty").pause();
				TestContexts.await().until(() -> lines(output).size() == 2);
				assertThat(lines(output)).satisfiesExactly(
						(granted) -> assertThat(granted).contains("INFO", "leads 'duty' epoch 1 of " + member),
						(revoked) -> assertThat(revoked).contains("INFO", "no longer leads 'duty' epoch 1 of " + member,
								"PAUSED"));
			});
	}

	@Test
	void pausingAFollowerIsOneLineToo(CapturedOutput output) {
		TestContexts.local().withPropertyValues("test.roles=duty").run((context) -> {
			DefaultLeaderElections elections = context.getBean(DefaultLeaderElections.class);
			elections.election("duty").pause();
			elections.election("duty").pause();
			elections.election("duty").resume();
			elections.election("duty").resume();
			assertThat(lines(output)).satisfiesExactly(
					(paused) -> assertThat(paused).contains("INFO",
							"This member is paused: it does not compete for 'duty' before it is resumed"),
					(resumed) -> assertThat(resumed).contains("INFO",
							"This member is resumed: it competes for 'duty' again"));
			elections.pause();
			elections.pause();
			elections.resume();
			elections.resume();
			assertThat(output.getAll().lines().filter((line) -> line.contains("This member is"))).hasSize(4);
		});
	}

	/** What is repeated must not be logged. */
	private static int renewals(DefaultLeaderElections elections, int wanted) {
		int[] seen = new int[1];
		elections.addRequestListener((request, took, answered) -> seen[0] += request.equals("renew") ? 1 : 0);
		TestContexts.await().until(() -> seen[0] >= wanted);
		return wanted;
	}

	private static List<String> lines(CapturedOutput output) {
		return output.getAll().lines().filter((line) -> line.contains("'duty'")).toList();
	}

}
