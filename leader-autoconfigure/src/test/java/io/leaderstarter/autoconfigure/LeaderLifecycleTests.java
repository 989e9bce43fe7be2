package io.leaderstarter.autoconfigure;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.leaderstarter.LeaderContext;
import io.leaderstarter.LeaderElections;
import io.leaderstarter.LeaderOnly;
import io.leaderstarter.Leadership;
import io.leaderstarter.Member;
import io.leaderstarter.TestContexts;
import io.leaderstarter.backend.local.LocalLeaseStoreFactory;
import io.leaderstarter.election.DefaultLeaderElections;
import io.leaderstarter.election.ElectionSettings;
import io.leaderstarter.election.spi.StoreIdentity;
import io.leaderstarter.election.spi.TermGate;
import io.leaderstarter.election.spi.TimeSource;
import io.leaderstarter.election.state.LeaseTiming;
import io.leaderstarter.testsupport.JoinedRoles;
import io.leaderstarter.testsupport.PostgresServer;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LeaderLifecycle}.
 */
class LeaderLifecycleTests {

	/** Longer than any test waits, so that nothing here happens by running out. */
	private final ApplicationContextRunner contextRunner = TestContexts.jdbc(TestContexts.h2())
		.withPropertyValues("leader.lease.ttl=5m", "test.roles=duty");

	@Test
	void memberDoesNotCompeteBeforeTheApplicationIsReady() {
		this.contextRunner.run((context) -> {
			DefaultLeaderElections elections = context.getBean(DefaultLeaderElections.class);
			// It has polled, found the role free, and did not acquire it.
			TestContexts.await().until(() -> elections.status("duty").age() != null);
			assertThat(elections.status("duty").leader()).isNull();
			assertThat(elections.status("duty").epoch()).isZero();
			TestContexts.lead(context, "duty");
			assertThat(elections.status("duty").epoch()).isOne();
		});
	}

	@Test
	void memberCompetesOnceTheRunnersAreDone() {
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
			.initializers(new JoinedRoles())
			.web(WebApplicationType.NONE)
			.properties("spring.application.name=test", "leader.backend=local", "test.roles=duty",
					"spring.main.banner-mode=off")
			.run()) {
			assertThat(context.getBean("ledInRunner", boolean[].class)[0]).isFalse();
			LeaderElections elections = context.getBean(LeaderElections.class);
			TestContexts.await().until(() -> elections.election("duty").isLeader());
		}
	}

	@Test
	void memberCanCompeteAsSoonAsTheContextHasStarted() {
		this.contextRunner.withPropertyValues("leader.candidate.start=context").run((context) -> {
			LeaderElections elections = context.getBean(LeaderElections.class);
			TestContexts.await().until(() -> elections.election("duty").isLeader());
		});
	}

	@Test
	void memberCanWaitUntilItIsResumed() {
		this.contextRunner.withPropertyValues("leader.candidate.start=manual").run((context) -> {
			TestContexts.ready(context);
			DefaultLeaderElections elections = context.getBean(DefaultLeaderElections.class);
			TestContexts.await().until(() -> elections.status("duty").age() != null);
			assertThat(elections.election("duty").isPaused()).isTrue();
			assertThat(elections.join("later").isPaused()).isTrue();
			assertThat(elections.status("duty").epoch()).isZero();
			elections.resume();
			TestContexts.await()
				.until(() -> elections.election("duty").isLeader() && elections.election("later").isLeader());
		});
	}

	@Test
	void memberCompetesAgainWhenItIsStartedAgain() {
		this.contextRunner.run((context) -> {
			TestContexts.lead(context, "duty");
			ConfigurableApplicationContext source = context
				.getSourceApplicationContext(ConfigurableApplicationContext.class);
			source.stop();
			LeaderElections elections = context.getBean(LeaderElections.class);
			assertThat(elections.election("duty").isLeader()).isFalse();
			source.start();
			TestContexts.await().until(() -> elections.election("duty").isLeader());
		});
	}

	/** As a migration does that other beans wait for. */
	@Test
	void workCanBeRunExclusivelyWhileBeansAreCreated() {
		this.contextRunner.withBean("migration", Migration.class, Migration::new).run((context) -> {
			assertThat(context.getBean(Migration.class).done).isTrue();
			DefaultLeaderElections elections = context.getBean(DefaultLeaderElections.class);
			TestContexts.await().until(() -> elections.find("migration").isEmpty());
			assertThat(elections.election("duty").isLeader()).isFalse();
			TestContexts.lead(context, "duty");
		});
	}

	@Test
	void closingReleasesSoThatTheNextLeadsAtOnce() {
		this.contextRunner.run((first) -> this.contextRunner.run((second) -> {
			TestContexts.lead(first, "duty");
			TestContexts.ready(second);
			DefaultLeaderElections others = second.getBean(DefaultLeaderElections.class);
			String firstMember = first.getBean(LeaderElections.class).member().id();
			TestContexts.await().until(() -> firstMember.equals(others.status("duty").leader()));
			assertThat(others.election("duty").isLeader()).isFalse();
			first.getSourceApplicationContext(ConfigurableApplicationContext.class).close();
			TestContexts.await().until(() -> others.election("duty").isLeader());
			assertThat(others.status("duty").epoch()).isEqualTo(2);
		}));
	}

	/**
	 * Even if the application gives other beans hardly any time to stop.
	 */
	@Test
	void closingWaitsForTheCallThatRunsAndThenReleases() {
		this.contextRunner.withConfiguration(AutoConfigurations.of(LifecycleAutoConfiguration.class))
			.withPropertyValues("spring.lifecycle.timeout-per-shutdown-phase=1ms")
			.withBean(Slow.class)
			.run((context) -> {
				TestContexts.lead(context, "duty");
				Slow slow = context.getBean(Slow.class);
				Thread call = new Thread(slow::work);
				call.start();
				assertThat(Slow.begun.await(20, TimeUnit.SECONDS)).isTrue();
				LeaderElections elections = context.getBean(LeaderElections.class);
				Thread closing = new Thread(
						context.getSourceApplicationContext(ConfigurableApplicationContext.class)::close);
				closing.start();
				TestContexts.await().until(() -> !elections.election("duty").isLeader());
				// Time enough for it to give up, which it must not.
				closing.join(300);
				assertThat(closing.isAlive()).isTrue();
				Slow.mayEnd.countDown();
				closing.join(20_000);
				assertThat(closing.isAlive()).isFalse();
				call.join(20_000);
				assertThat(Slow.validAtTheEnd).isTrue();
			});
		this.contextRunner.run((next) -> TestContexts.lead(next, "duty"));
	}

	@Test
	void contextThatIsStoppedLeadsAgainWhenItIsStarted() {
		this.contextRunner.run((context) -> {
			TestContexts.lead(context, "duty");
			ConfigurableApplicationContext source = context
				.getSourceApplicationContext(ConfigurableApplicationContext.class);
			LeaderElections elections = context.getBean(LeaderElections.class);
			for (int round = 1; round <= 2; round++) {
				long before = epoch(elections);
				source.stop();
				assertThat(elections.election("duty").isLeader()).isFalse();
				source.start();
				TestContexts.await().until(() -> elections.election("duty").isLeader());
				assertThat(epoch(elections)).isEqualTo(before + 1);
			}
		});
	}

	/**
	 * Spring's test framework pauses contexts that it keeps for later tests.
	 */
	@Test
	void contextThatIsPausedLetsOthersLeadUntilItGoesOn() {
		this.contextRunner.run((paused) -> {
			TestContexts.lead(paused, "duty");
			ConfigurableApplicationContext source = paused
				.getSourceApplicationContext(ConfigurableApplicationContext.class);
			source.pause();
			this.contextRunner.run((other) -> TestContexts.lead(other, "duty"));
			source.restart();
			LeaderElections elections = paused.getBean(LeaderElections.class);
			TestContexts.await().until(() -> elections.election("duty").isLeader());
			assertThat(epoch(elections)).isEqualTo(3);
		});
	}

	/**
	 * A checkpoint of the process is taken of a context that is paused, and fails if
	 * connections are open. Several processes can go on from it.
	 */
	@Test
	void contextThatIsPausedHasNoConnectionAndGoesOnAsAnotherMember() {
		DriverManagerDataSource database = PostgresServer.newDatabase();
		JdbcTemplate observer = new JdbcTemplate(new SingleConnectionDataSource(database.getUrl(), true));
		TestContexts.jdbc(database.getUrl())
			.withPropertyValues("test.roles=duty", "spring.datasource.type=" + DriverManagerDataSource.class.getName())
			.withConfiguration(AutoConfigurations.of(DataSourceTransactionManagerAutoConfiguration.class,
					JdbcTemplateAutoConfiguration.class, TransactionAutoConfiguration.class,
					LeaderFenceAutoConfiguration.class))
			.run((context) -> {
				TestContexts.lead(context, "duty");
				LeaderElections elections = context.getBean(LeaderElections.class);
				String before = elections.member().id();
				// For leases, notifications and the fence.
				TestContexts.await().until(() -> connections(observer) == 3);
				ConfigurableApplicationContext source = context
					.getSourceApplicationContext(ConfigurableApplicationContext.class);
				source.pause();
				TestContexts.await().until(() -> connections(observer) == 0);
				source.restart();
				TestContexts.await().until(() -> elections.election("duty").isLeader());
				assertThat(elections.member().id()).isNotEqualTo(before);
				assertThat(elections.election("duty").leadership().map(Leadership::member))
					.contains(elections.member().id());
				TestContexts.await().until(() -> connections(observer) == 3);
				assertThat(epoch(elections)).isEqualTo(2);
			});
	}

	@Test
	void closingAChildDoesNotStopTheElectionsOfItsParent() {
		this.contextRunner.run((parent) -> {
			TestContexts.lead(parent, "duty");
			LeaderElections elections = parent.getBean(LeaderElections.class);
			this.contextRunner.withParent(parent).run((child) -> {
				assertThat(child.getBean(LeaderElections.class)).isSameAs(elections);
				assertThat(child.getBeanFactory().getBeanNamesForType(LeaderLifecycle.class)).isEmpty();
			});
			assertThat(elections.election("duty").isLeader()).isTrue();
			assertThat(epoch(elections)).isOne();
		});
	}

	@Test
	void childWithElectionsOfItsOwnStopsThem() {
		this.contextRunner.run((parent) -> {
			LeaderElections[] own = new LeaderElections[1];
			TestContexts.jdbc(TestContexts.h2())
				.withPropertyValues("test.roles=duty")
				.withParent(parent)
				.withUserConfiguration(OwnElections.class)
				.run((child) -> {
					own[0] = child.getBean(LeaderElections.class);
					assertThat(own[0]).isNotSameAs(parent.getBean(LeaderElections.class));
					TestContexts.ready(child);
					TestContexts.await().until(() -> own[0].join("own").isLeader());
				});
			assertThat(own[0].election("own").isLeader()).isFalse();
		});
	}

	private static int connections(JdbcTemplate observer) {
		return observer.queryForObject(
				"select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
				Integer.class);
	}

	private static long epoch(LeaderElections elections) {
		return elections.election("duty").leadership().map(Leadership::epoch).orElse(-1L);
	}

	@Configuration(proxyBeanMethods = false)
	static class OwnElections {

		@Bean
		@Primary
		DefaultLeaderElections ownElections(LeaseTiming timing) {
			Member member = Member.start("own", Map.of());
			return new DefaultLeaderElections(member,
					new LocalLeaseStoreFactory().create(new StoreIdentity("own", member.id(), timing.ttl())),
					TermGate.OPEN, new ElectionSettings(timing, Duration.ofSeconds(1)), TimeSource.SYSTEM);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ LeaderAutoConfiguration.class, LeaderOnlyAutoConfiguration.class })
	static class Application {

		@Bean
		boolean[] ledInRunner() {
			return new boolean[1];
		}

		@Bean
		ApplicationRunner runner(boolean[] ledInRunner, DefaultLeaderElections elections) {
			return (arguments) -> {
				TestContexts.await().until(() -> elections.status("duty").age() != null);
				ledInRunner[0] = elections.election("duty").isLeader();
			};
		}

	}

	static class Migration implements InitializingBean {

		private boolean done;

		@Autowired
		private LeaderElections elections;

		@Override
		public void afterPropertiesSet() throws InterruptedException {
			this.done = this.elections.runExclusively("migration", Duration.ofSeconds(20), LeaderContext::check);
		}

	}

	static class Slow {

		static final CountDownLatch begun = new CountDownLatch(1);

		static final CountDownLatch mayEnd = new CountDownLatch(1);

		static volatile boolean validAtTheEnd;

		@LeaderOnly("duty")
		public void work() {
			begun.countDown();
			try {
				validAtTheEnd = mayEnd.await(20, TimeUnit.SECONDS) && LeaderContext.isStillLeader();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}

	}

}
