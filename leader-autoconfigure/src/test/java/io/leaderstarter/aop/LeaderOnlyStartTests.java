package io.leaderstarter.aop;

import java.util.List;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.leaderstarter.LeaderElections;
import io.leaderstarter.LeaderOnly;
import io.leaderstarter.TestContexts;
import io.leaderstarter.autoconfigure.JdbcLeaderAutoConfiguration;
import io.leaderstarter.autoconfigure.LeaderAutoConfiguration;
import io.leaderstarter.autoconfigure.LeaderOnlyAutoConfiguration;
import io.leaderstarter.election.DefaultLeaderElections;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for calls that come while the application starts, when no member competes by
 * itself.
 */
@Isolated("other tests log the same")
@ExtendWith(OutputCaptureExtension.class)
class LeaderOnlyStartTests {

	private final Logger logger = (Logger) LoggerFactory.getLogger(LeaderOnlyOperation.class);

	private final Level level = this.logger.getLevel();

	private final String url = TestContexts.h2();

	@AfterEach
	void beSilent() {
		this.logger.setLevel(this.level);
	}

	@Test
	void callsThatWaitCompeteAtOnce() {
		try (ConfigurableApplicationContext context = run(Waiting.class, "wait=30s")) {
			assertThat(context.getBean(Journal.class).entries())
				.extracting(Journal.Entry::what, (entry) -> entry.roles().get(0))
				.containsExactly(of("lifecycle"), of("runner"), of("listener"));
			LeaderElections elections = context.getBean(LeaderElections.class);
			// The role is kept, as the application goes on to compete for it.
			assertThat(elections.election("lifecycle").leadership().orElseThrow().epoch()).isOne();
		}
	}

	@Test
	void callsThatWaitAreSkippedIfAnotherMemberLeads() {
		try (ConfigurableApplicationContext leader = run(Waiting.class, "wait=30s");
				ConfigurableApplicationContext follower = run(Waiting.class, "wait=10ms")) {
			assertThat(leader.getBean(Journal.class).notes()).hasSize(3);
			assertThat(follower.getBean(Journal.class).notes()).isEmpty();
		}
	}

	@Test
	void callsThatWaitDoNotCompeteWhereTheMemberIsNoCandidate() {
		try (ConfigurableApplicationContext context = run(Waiting.class, "wait=30s",
				"leader.candidate.enabled=false")) {
			assertThat(context.getBean(Journal.class).notes()).isEmpty();
		}
	}

	@Test
	void callsThatDoNotWaitAreSkippedAndLoggedOnce(CapturedOutput output) {
		try (ConfigurableApplicationContext context = run(Hasty.class)) {
			assertThat(context.getBean(Journal.class).notes()).isEmpty();
			assertThat(output)
				.containsOnlyOnce("HastyWork.run did not run, as this member does not compete for 'hasty' before the "
						+ "application is ready")
				.contains("awaitUpTo", "LeadershipGrantedEvent");
		}
	}

	@Test
	void everySkippedCallIsLoggedAtDebug(CapturedOutput output) {
		this.logger.setLevel(Level.DEBUG);
		TestContexts.local()
			.withPropertyValues("leader.candidate.enabled=false")
			.withBean(Journal.class)
			.withBean(HastyWork.class)
			.run((context) -> {
				context.getBean(HastyWork.class).run(null);
				context.getBean(HastyWork.class).run(null);
				assertThat(output.toString().split("HastyWork.run did not run: this member does not lead 'hasty'", -1))
					.hasSize(3);
			});
	}

	@Test
	void firstScheduledRunIsNotMissedIfItWaits() {
		try (ConfigurableApplicationContext context = run(WaitingSchedule.class, "wait=30s")) {
			Journal journal = context.getBean(Journal.class);
			TestContexts.await().until(() -> journal.notes().contains("scheduled"));
		}
	}

	@Test
	void scheduledRunThatWaitsDoesNotMakeAMemberCompete() {
		// A context without an ApplicationReadyEvent.
		TestContexts.jdbc(this.url)
			.withPropertyValues("wait=30s")
			.withUserConfiguration(Journal.class, WaitingSchedule.class)
			.run((context) -> {
				DefaultLeaderElections elections = context.getBean(DefaultLeaderElections.class);
				TestContexts.await().until(() -> elections.status("scheduled").age() != null);
				assertThat(elections.status("scheduled").epoch()).isZero();
			});
	}

	@Test
	void scheduledRunThatComesTooEarlyIsLogged(CapturedOutput output) {
		try (ConfigurableApplicationContext context = run(MissingSchedule.class)) {
			assertThat(context.getBean(Journal.class).notes()).isEmpty();
			TestContexts.await().until(() -> output.toString().contains("did not run"));
			assertThat(output).containsOnlyOnce(" ScheduledWork.work did not run, as this member does not compete");
		}
	}

	private static Tuple of(String what) {
		return Tuple.tuple(what, what);
	}

	private ConfigurableApplicationContext run(Class<?> work, String... properties) {
		return new SpringApplicationBuilder(Application.class, work).web(WebApplicationType.NONE)
			.properties("spring.application.name=test", "spring.main.banner-mode=off",
					"logging.level.io.leaderstarter.aop=info", "leader.lease.ttl=5m",
					"spring.datasource.url=" + this.url)
			.properties(properties)
			.run();
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ LeaderAutoConfiguration.class, LeaderOnlyAutoConfiguration.class,
			JdbcLeaderAutoConfiguration.class, DataSourceAutoConfiguration.class })
	@Import(Journal.class)
	static class Application {

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ WaitingRunner.class, WaitingLifecycle.class, WaitingListener.class })
	static class Waiting {

	}

	static class WaitingRunner implements ApplicationRunner {

		private final Journal journal;

		WaitingRunner(Journal journal) {
			this.journal = journal;
		}

		@Override
		@LeaderOnly(value = "runner", awaitUpTo = "${wait}")
		public void run(ApplicationArguments arguments) {
			this.journal.note("runner");
		}

	}

	static class WaitingLifecycle implements SmartLifecycle {

		private final Journal journal;

		WaitingLifecycle(Journal journal) {
			this.journal = journal;
		}

		@Override
		@LeaderOnly(value = "lifecycle", awaitUpTo = "${wait}")
		public void start() {
			this.journal.note("lifecycle");
		}

		@Override
		public void stop() {
		}

		@Override
		public boolean isRunning() {
			return false;
		}

		@Override
		public int getPhase() {
			return 0;
		}

	}

	static class WaitingListener {

		private final Journal journal;

		WaitingListener(Journal journal) {
			this.journal = journal;
		}

		@EventListener(ApplicationReadyEvent.class)
		@LeaderOnly(value = "listener", awaitUpTo = "${wait}")
		public void ready() {
			this.journal.note("listener");
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ HastyWork.class, Repeating.class })
	static class Hasty {

	}

	static class HastyWork implements ApplicationRunner {

		private final Journal journal;

		HastyWork(Journal journal) {
			this.journal = journal;
		}

		@Override
		@LeaderOnly("hasty")
		public void run(ApplicationArguments arguments) {
			this.journal.note("hasty");
		}

	}

	/** Calls once more. */
	static class Repeating implements ApplicationRunner {

		private final List<HastyWork> work;

		Repeating(List<HastyWork> work) {
			this.work = work;
		}

		@Override
		public void run(ApplicationArguments arguments) {
			this.work.forEach((hasty) -> hasty.run(arguments));
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	@Import(WaitingScheduledWork.class)
	static class WaitingSchedule {

	}

	static class WaitingScheduledWork {

		private final Journal journal;

		WaitingScheduledWork(Journal journal) {
			this.journal = journal;
		}

		@Scheduled(fixedRateString = "1h")
		@LeaderOnly(value = "scheduled", awaitUpTo = "${wait}")
		public void work() {
			this.journal.note("scheduled");
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	@Import({ ScheduledWork.class, UntilItWasScheduled.class })
	static class MissingSchedule {

	}

	static class ScheduledWork {

		private final Journal journal;

		ScheduledWork(Journal journal) {
			this.journal = journal;
		}

		@Scheduled(fixedRateString = "1h")
		@LeaderOnly("scheduled")
		public void work() {
			this.journal.note("scheduled");
		}

	}

	/** Keeps the application from being ready before the first scheduled run. */
	static class UntilItWasScheduled implements ApplicationRunner {

		private final DefaultLeaderElections elections;

		UntilItWasScheduled(DefaultLeaderElections elections) {
			this.elections = elections;
		}

		@Override
		public void run(ApplicationArguments arguments) {
			TestContexts.await().until(() -> this.elections.status("scheduled").counts().skipped() > 0);
		}

	}

}
