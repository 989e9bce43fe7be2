package io.leaderstarter.actuate;

import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;

import io.leaderstarter.LeaderElections;
import io.leaderstarter.TestContexts;
import io.leaderstarter.autoconfigure.LeaderActuatorAutoConfiguration;
import io.leaderstarter.election.DefaultLeaderElections;
import io.leaderstarter.election.spi.TermGate;
import org.h2.tools.Server;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LeaderHealthIndicator}.
 */
class LeaderHealthIndicatorTests {

	private final ApplicationContextRunner contextRunner = TestContexts.local()
		.withPropertyValues("test.roles=one,two")
		.withConfiguration(AutoConfigurations.of(LeaderActuatorAutoConfiguration.class));

	@Test
	void leaderIsUpAndSaysWhatItLeads() {
		this.contextRunner.run((context) -> {
			TestContexts.lead(context, "one", "two");
			Health health = context.getBean(LeaderHealthIndicator.class).health();
			assertThat(health.getStatus()).isEqualTo(Status.UP);
			assertThat(health.getDetails()).containsOnlyKeys("member", "leads", "backend", "backendReachable")
				.containsEntry("member", context.getBean(LeaderElections.class).member().id())
				.containsEntry("leads", List.of("one", "two"))
				.containsEntry("backend", "local")
				.containsEntry("backendReachable", true);
		});
	}

	@Test
	void rolesThatAreNotCompetedForAreNamed() {
		this.contextRunner.run((context) -> {
			TestContexts.lead(context, "one", "two");
			LeaderHealthIndicator indicator = context.getBean(LeaderHealthIndicator.class);
			context.getBean(LeaderElections.class).election("two").pause();
			assertThat(indicator.health().getStatus()).isEqualTo(Status.UP);
			assertThat(indicator.health().getDetails()).containsEntry("paused", List.of("two"));
			context.getBean(LeaderElections.class).election("two").resume();
			assertThat(indicator.health().getDetails()).doesNotContainKey("paused");
		});
	}

	@Test
	void followerIsUpAndLeadsNothing() {
		this.contextRunner.withPropertyValues("leader.candidate.enabled=false").run((context) -> {
			TestContexts.ready(context);
			Health health = context.getBean(LeaderHealthIndicator.class).health();
			assertThat(health.getStatus()).isEqualTo(Status.UP);
			assertThat(health.getDetails()).containsEntry("leads", List.of());
		});
	}

	/**
	 * All members see the outage. If they were down for it, none would serve requests.
	 */
	@Test
	void memberStaysUpWhileItsDatabaseIsAwayAndSaysSo() throws Exception {
		Server database = start(0);
		String url = "jdbc:h2:tcp://localhost:%d/mem:%s;DB_CLOSE_DELAY=-1".formatted(database.getPort(),
				UUID.randomUUID());
		try {
			TestContexts.jdbc(url)
				.withPropertyValues("leader.lease.ttl=2s", "test.roles=duty")
				.withConfiguration(AutoConfigurations.of(LeaderActuatorAutoConfiguration.class))
				.run((context) -> {
					TestContexts.lead(context, "duty");
					database.stop();
					LeaderHealthIndicator indicator = context.getBean(LeaderHealthIndicator.class);
					TestContexts.await()
						.until(() -> Boolean.FALSE.equals(indicator.health().getDetails().get("backendReachable"))
								&& List.of().equals(indicator.health().getDetails().get("leads")));
					assertThat(indicator.health().getStatus()).isEqualTo(Status.UP);
					assertThat((String) indicator.health().getDetails().get("backendFailure")).isNotBlank();
					Server again = start(database.getPort());
					try {
						TestContexts.await()
							.until(() -> context.getBean(DefaultLeaderElections.class).election("duty").isLeader());
						TestContexts.await()
							.until(() -> Boolean.TRUE.equals(indicator.health().getDetails().get("backendReachable"))
									&& !indicator.health().getDetails().containsKey("backendFailure"));
					}
					finally {
						context.close();
						again.stop();
					}
				});
		}
		finally {
			database.stop();
		}
	}

	/** Only if it is configured. */
	@Test
	void memberIsOutOfServiceWhenItsDatabaseWasAwayForLongerThanAllowed() throws Exception {
		Server database = start(0);
		String url = "jdbc:h2:tcp://localhost:%d/mem:%s;DB_CLOSE_DELAY=-1".formatted(database.getPort(),
				UUID.randomUUID());
		try {
			TestContexts.jdbc(url)
				.withPropertyValues("leader.lease.ttl=2s", "test.roles=duty",
						"management.health.leader.out-of-service-after=100ms")
				.withConfiguration(AutoConfigurations.of(LeaderActuatorAutoConfiguration.class))
				.run((context) -> {
					TestContexts.lead(context, "duty");
					LeaderHealthIndicator indicator = context.getBean(LeaderHealthIndicator.class);
					assertThat(indicator.health().getStatus()).isEqualTo(Status.UP);
					database.stop();
					TestContexts.await().until(() -> indicator.health().getStatus().equals(Status.OUT_OF_SERVICE));
				});
		}
		finally {
			database.stop();
		}
	}

	@Test
	void fenceThatCannotBeRaisedIsReported() {
		AtomicBoolean closed = new AtomicBoolean(true);
		TermGate gate = (leadership) -> {
			if (closed.get()) {
				throw new IllegalStateException("the fence is held up by pid 7");
			}
		};
		this.contextRunner.withBean(TermGate.class, () -> gate)
			.withPropertyValues("leader.lease.ttl=1s")
			.run((context) -> {
				TestContexts.ready(context);
				LeaderHealthIndicator indicator = context.getBean(LeaderHealthIndicator.class);
				TestContexts.await().until(() -> indicator.health().getDetails().containsKey("blocked"));
				assertThat(indicator.health().getStatus()).isEqualTo(Status.UP);
				assertThat(indicator.health().getDetails().get("blocked")).asString().contains("pid 7");
				closed.set(false);
				TestContexts.await().until(() -> !indicator.health().getDetails().containsKey("blocked"));
			});
	}

	@Test
	void memberIsOutOfServiceWhenAFenceWasHeldUpForLongerThanAllowed() {
		TermGate gate = (leadership) -> {
			throw new IllegalStateException("the fence is held up by pid 7");
		};
		this.contextRunner.withBean(TermGate.class, () -> gate)
			.withPropertyValues("leader.lease.ttl=1s", "management.health.leader.out-of-service-after=100ms")
			.run((context) -> {
				TestContexts.ready(context);
				LeaderHealthIndicator indicator = context.getBean(LeaderHealthIndicator.class);
				TestContexts.await().until(() -> indicator.health().getStatus().equals(Status.OUT_OF_SERVICE));
			});
	}

	private static Server start(int port) throws SQLException {
		return Server.createTcpServer("-tcpPort", Integer.toString(port), "-ifNotExists").start();
	}

}
