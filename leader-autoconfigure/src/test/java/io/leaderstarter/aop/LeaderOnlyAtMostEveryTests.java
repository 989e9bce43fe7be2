package io.leaderstarter.aop;

import javax.sql.DataSource;

import io.leaderstarter.LeaderElections;
import io.leaderstarter.LeaderOnly;
import io.leaderstarter.TestContexts;
import io.leaderstarter.autoconfigure.LeaderFenceAutoConfiguration;
import io.leaderstarter.election.DefaultLeaderElections;
import io.leaderstarter.election.RoleStatus;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LeaderOnly#atMostEvery()}.
 */
class LeaderOnlyAtMostEveryTests {

	private final ApplicationContextRunner contextRunner = TestContexts.jdbc(TestContexts.h2())
		.withConfiguration(AutoConfigurations.of(LeaderFenceAutoConfiguration.class))
		.withPropertyValues("period=1h")
		.withBean(Journal.class);

	@Test
	void runOfTheFormerLeaderIsNotRepeatedByTheNewOne() {
		this.contextRunner.withBean(Job.class).run((first) -> this.contextRunner.withBean(Job.class).run((second) -> {
			TestContexts.lead(first, "run");
			Job old = first.getBean(Job.class);
			old.work();
			old.other();
			old.work();
			TestContexts.ready(second);
			first.getBean(LeaderElections.class).pause();
			LeaderElections elections = second.getBean(LeaderElections.class);
			TestContexts.await().until(() -> elections.election("run").isLeader());
			second.getBean(Job.class).work();
			assertThat(first.getBean(Journal.class).notes()).containsExactly("work", "other");
			assertThat(second.getBean(Journal.class).notes()).isEmpty();
			JdbcTemplate jdbc = new JdbcTemplate(second.getBean(DataSource.class));
			jdbc.update("update leader_last_run set begun_at_us = begun_at_us - 3600000000");
			second.getBean(Job.class).work();
			assertThat(second.getBean(Journal.class).notes()).containsExactly("work");
		}));
	}

	@Test
	void runThatIsLeftOutCountsAsSkipped() {
		this.contextRunner.withBean(Job.class).run((context) -> {
			TestContexts.lead(context, "run");
			context.getBean(Job.class).work();
			context.getBean(Job.class).work();
			RoleStatus.Counts counts = context.getBean(DefaultLeaderElections.class).status("run").counts();
			assertThat(counts.executed()).isOne();
			assertThat(counts.skipped()).isOne();
		});
	}

	/** Each process makes another class for a lambda. */
	@Test
	void runIsRecordedUnderANameThatTheNextProcessKnows() {
		this.contextRunner.withBean(InterfaceJob.class, () -> () -> {
		}).run((context) -> {
			TestContexts.lead(context, "run");
			context.getBean(InterfaceJob.class).work();
			JdbcTemplate jdbc = new JdbcTemplate(context.getBean(DataSource.class));
			assertThat(jdbc.queryForList("select task from leader_last_run", String.class))
				.containsExactly(InterfaceJob.class.getName() + ".work()");
		});
	}

	@Test
	void needsAFencedDatabase() {
		TestContexts.local()
			.withPropertyValues("period=1h")
			.withBean(Journal.class)
			.withBean(Job.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOfSatisfying(LeaderOnlyException.class, (failure) -> {
					assertThat(failure).hasMessageContaining("no table for last runs: there is no fenced database");
					assertThat(failure.getAdvice()).contains("leader.fence.enabled");
				}));
	}

	@Test
	void refusesMethodsWithAResult() {
		this.contextRunner.withBean(Valued.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(LeaderOnlyException.class)
				.hasMessageContaining("whose result the caller needs"));
	}

	@FunctionalInterface
	interface InterfaceJob {

		@LeaderOnly(value = "run", atMostEvery = "1h")
		void work();

	}

	static class Job {

		private final Journal journal;

		Job(Journal journal) {
			this.journal = journal;
		}

		@LeaderOnly(value = "run", atMostEvery = "${period}")
		public void work() {
			this.journal.note("work");
		}

		@LeaderOnly(value = "run", atMostEvery = "${period}")
		public void other() {
			this.journal.note("other");
		}

	}

	static class Valued {

		@LeaderOnly(value = "run", atMostEvery = "1h")
		public String work() {
			return "done";
		}

	}

}
