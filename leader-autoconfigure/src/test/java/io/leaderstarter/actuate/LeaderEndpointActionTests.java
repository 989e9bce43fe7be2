package io.leaderstarter.actuate;

import java.util.Objects;

import javax.sql.DataSource;

import io.leaderstarter.LeaderElections;
import io.leaderstarter.TestContexts;
import io.leaderstarter.actuate.LeaderEndpoint.Action;
import io.leaderstarter.autoconfigure.LeaderActuatorAutoConfiguration;
import io.leaderstarter.election.DefaultLeaderElections;
import io.leaderstarter.election.RoleCall;
import io.leaderstarter.election.RoleElection;
import org.h2.tools.Server;
import org.junit.jupiter.api.Test;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for the actions of the {@link LeaderEndpoint}.
 */
class LeaderEndpointActionTests {

	private final ApplicationContextRunner contextRunner = TestContexts.local()
		.withPropertyValues("test.roles=one,two", "management.endpoints.web.exposure.include=leader",
				"management.endpoint.leader.access=UNRESTRICTED", "leader.lease.ttl=1m")
		.withConfiguration(AutoConfigurations.of(LeaderActuatorAutoConfiguration.class));

	@Test
	void roleThatIsResignedFromIsTakenAgainLater() {
		// It backs off for longer than a lease.
		this.contextRunner.withPropertyValues("leader.lease.ttl=8s", "leader.lease.renew-interval=300ms")
			.run((context) -> {
				LeaderEndpoint endpoint = lead(context);
				endpoint.applyToRole("one", Action.RESIGN);
				TestContexts.await().until(() -> endpoint.role("one").counts().revoked() == 1);
				assertThat(endpoint.role("two").state()).isEqualTo("LEADER");
				TestContexts.await().until(() -> endpoint.role("one").counts().granted() == 2);
			});
	}

	@Test
	void roleThatIsPausedIsNotTakenBeforeItIsResumed() {
		this.contextRunner.run((context) -> {
			LeaderEndpoint endpoint = lead(context);
			endpoint.applyToRole("one", Action.PAUSE);
			TestContexts.await().until(() -> endpoint.role("one").state().equals("FOLLOWER"));
			assertThat(endpoint.role("one").paused()).isTrue();
			assertThat(endpoint.role("one").history()).last().extracting("reason").isEqualTo("PAUSED");
			assertThat(endpoint.role("two").state()).isEqualTo("LEADER");
			endpoint.applyToRole("one", Action.RESUME);
			TestContexts.await().until(() -> endpoint.role("one").state().equals("LEADER"));
		});
	}

	@Test
	void allRolesCanBePausedAndResumed() {
		this.contextRunner.run((context) -> {
			LeaderEndpoint endpoint = lead(context);
			endpoint.apply(Action.PAUSE);
			TestContexts.await()
				.until(() -> endpoint.leader()
					.roles()
					.values()
					.stream()
					.allMatch((role) -> role.state().equals("FOLLOWER")));
			endpoint.apply(Action.RESUME);
			TestContexts.await()
				.until(() -> endpoint.leader()
					.roles()
					.values()
					.stream()
					.allMatch((role) -> role.state().equals("LEADER")));
			endpoint.apply(Action.RESIGN);
			TestContexts.await()
				.until(() -> endpoint.leader()
					.roles()
					.values()
					.stream()
					.allMatch((role) -> role.counts().revoked() == 2));
		});
	}

	@Test
	void actionOnARoleThatWasNotJoinedIsRefused() {
		this.contextRunner.run((context) -> assertThatExceptionOfType(InvalidEndpointRequestException.class)
			.isThrownBy(() -> context.getBean(LeaderEndpoint.class).applyToRole("unknown", Action.PAUSE))
			.withMessageContaining("'unknown'"));
	}

	@Test
	void resignOfAMemberThatDoesNotLeadIsAConflict() {
		this.contextRunner.run((context) -> {
			LeaderEndpoint endpoint = context.getBean(LeaderEndpoint.class);
			assertThatExceptionOfType(InvalidEndpointRequestException.class)
				.isThrownBy(() -> endpoint.applyToRole("one", Action.RESIGN))
				.withMessageContaining("does not lead 'one'")
				.satisfies((ex) -> assertThat(ex.getReason()).contains("resign on the leader"));
		});
	}

	/** Its calls that still run are all that is left of it. */
	@Test
	void memberWhoseTermIsOverIsNotShownAsTheLeader() throws Exception {
		Server database = Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
		String url = "jdbc:h2:tcp://localhost:%d/mem:lost;DB_CLOSE_DELAY=-1".formatted(database.getPort());
		try {
			TestContexts.jdbc(url)
				.withPropertyValues("test.roles=one", "leader.lease.ttl=2s",
						"management.endpoints.web.exposure.include=leader")
				.withConfiguration(AutoConfigurations.of(LeaderActuatorAutoConfiguration.class))
				.run((context) -> {
					LeaderEndpoint endpoint = lead(context);
					RoleElection election = context.getBean(DefaultLeaderElections.class).election("one");
					RoleCall call = TestContexts.await().until(election::enter, Objects::nonNull);
					database.stop();
					TestContexts.await().until(() -> endpoint.role("one").state().equals("LOST"));
					assertThat(endpoint.role("one").leader()).isNull();
					assertThat(endpoint.role("one").grantedAt()).isNull();
					assertThat(endpoint.role("one").timeLeft()).isNull();
					TestContexts.await().until(() -> endpoint.role("one").stale());
					call.close();
				});
		}
		finally {
			database.stop();
		}
	}

	/**
	 * A client that can write to the table must not be able to inject text into the
	 * endpoint.
	 */
	@Test
	void storedTextIsCreatedSafe() {
		TestContexts.jdbc(TestContexts.h2())
			.withPropertyValues("leader.lease.renew-interval=300ms", "test.roles=one",
					"management.endpoints.web.exposure.include=leader",
					"leader.member.metadata.note=turned \u202e around")
			.withConfiguration(AutoConfigurations.of(LeaderActuatorAutoConfiguration.class))
			.run((context) -> {
				LeaderEndpoint endpoint = lead(context);
				assertThat(endpoint.leader().member().metadata()).containsEntry("note", "turned ? around");
				JdbcTemplate jdbc = new JdbcTemplate(context.getBean(DataSource.class));
				jdbc.update("update leader_lease set holder = ?, term_id = 'x', epoch = epoch + 1",
						"evil\r\nX-Header: 1 \u001b[31m" + "x".repeat(150));
				TestContexts.await().until(() -> {
					String leader = endpoint.role("one").leader();
					return leader != null && leader.startsWith("evil??X-Header: 1 ?[31mx");
				});
			});
	}

	/** It shows the last known state, marked as stale, instead of sending a request. */
	@Test
	void answerIsFastAndStaleWhileTheStoreIsAway() throws Exception {
		Server database = Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
		String url = "jdbc:h2:tcp://localhost:%d/mem:stale;DB_CLOSE_DELAY=-1".formatted(database.getPort());
		try {
			TestContexts.jdbc(url)
				.withPropertyValues("test.roles=one", "leader.lease.ttl=2s",
						"management.endpoints.web.exposure.include=leader")
				.withConfiguration(AutoConfigurations.of(LeaderActuatorAutoConfiguration.class))
				.run((context) -> {
					LeaderEndpoint endpoint = lead(context);
					database.stop();
					TestContexts.await().until(() -> endpoint.role("one").stale());
					long least = Long.MAX_VALUE;
					// A slow machine can hold up any of them, but not for the same time.
					for (int i = 0; i < 5; i++) {
						long begun = System.nanoTime();
						assertThat(endpoint.leader().backend().reachable()).isFalse();
						assertThat(endpoint.leader().backend().failure()).isNotBlank();
						least = Math.min(least, System.nanoTime() - begun);
					}
					// Far less than any time-out, and far more than it takes.
					assertThat(least).isLessThan(300_000_000L);
				});
		}
		finally {
			database.stop();
		}
	}

	private static LeaderEndpoint lead(ApplicationContext context) {
		TestContexts.lead(context);
		assertThat(context.getBean(LeaderElections.class).all()).isNotEmpty();
		return context.getBean(LeaderEndpoint.class);
	}

}
