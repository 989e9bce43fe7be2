package io.leaderstarter.aop;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.leaderstarter.LeaderContext;
import io.leaderstarter.LeaderElections;
import io.leaderstarter.LeaderOnly;
import io.leaderstarter.TestContexts;
import io.leaderstarter.election.DefaultLeaderElections;
import org.junit.jupiter.api.Test;

import org.springframework.boot.system.JavaVersion;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that {@code @LeaderOnly} applies on the thread that runs the method: with
 * {@code @Async} and {@code @Scheduled}.
 */
class LeaderOnlyAsyncTests {

	private final ApplicationContextRunner contextRunner = TestContexts.local().withBean(Journal.class);

	@Test
	void termIsOnTheThreadThatWorks() {
		this.contextRunner.withUserConfiguration(AsyncConfiguration.class).run((context) -> {
			TestContexts.lead(context);
			Journal journal = context.getBean(Journal.class);
			context.getBean(AsyncJob.class).work();
			TestContexts.await().until(() -> !journal.entries().isEmpty());
			assertThat(journal.entries()).singleElement().satisfies((entry) -> {
				assertThat(entry.roles()).containsExactly("async");
				assertThat(entry.thread()).startsWith("pool-");
			});
			assertThat(LeaderContext.current()).isEmpty();
		});
	}

	@Test
	void threadOfThePoolKeepsNoTerm() {
		this.contextRunner.withUserConfiguration(AsyncConfiguration.class).run((context) -> {
			TestContexts.lead(context);
			Journal journal = context.getBean(Journal.class);
			context.getBean(AsyncJob.class).work();
			// The pool has one thread, so this runs after the call and where it ran.
			context.getBean(ThreadPoolTaskExecutor.class).submit(() -> journal.note("after")).get(20, TimeUnit.SECONDS);
			assertThat(journal.notes()).containsExactly("work", "after");
			assertThat(journal.entries().get(1).thread()).isEqualTo(journal.entries().get(0).thread());
			assertThat(journal.entries().get(1).term()).isNull();
		});
	}

	@Test
	void leadershipIsCheckedWhenTheWorkBegins() {
		this.contextRunner.withUserConfiguration(AsyncConfiguration.class).run((context) -> {
			ThreadPoolTaskExecutor pool = context.getBean(ThreadPoolTaskExecutor.class);
			CountDownLatch busy = new CountDownLatch(1);
			pool.submit(() -> busy.await(20, TimeUnit.SECONDS));
			// Called as a follower, but it leads by the time that the pool gets to it.
			context.getBean(AsyncJob.class).work();
			TestContexts.lead(context);
			busy.countDown();
			TestContexts.await().until(() -> context.getBean(Journal.class).notes().equals(List.of("work")));
		});
	}

	@Test
	void followerSkipsOnTheThreadThatWouldWork() {
		this.contextRunner.withUserConfiguration(AsyncConfiguration.class)
			.withPropertyValues("leader.candidate.enabled=false")
			.run((context) -> {
				Journal journal = context.getBean(Journal.class);
				context.getBean(AsyncJob.class).work();
				context.getBean(ThreadPoolTaskExecutor.class)
					.submit(() -> journal.note("after"))
					.get(20, TimeUnit.SECONDS);
				assertThat(journal.notes()).containsExactly("after");
			});
	}

	/** On threads of the platform where the JDK has no others. */
	@Test
	void callsOnManyVirtualThreadsHaveTheirTermsAndKeepTheRole() {
		this.contextRunner.withBean(ManyJob.class).run((context) -> {
			TestContexts.lead(context);
			ManyJob job = context.getBean(ManyJob.class);
			SimpleAsyncTaskExecutor executor = new SimpleAsyncTaskExecutor("many-");
			if (JavaVersion.getJavaVersion().isEqualOrNewerThan(JavaVersion.TWENTY_ONE)) {
				executor.setVirtualThreads(true);
			}
			List<Future<?>> calls = new ArrayList<>();
			for (int i = 0; i < ManyJob.CALLS; i++) {
				calls.add(executor.submit(job::work));
			}
			assertThat(job.inside().await(20, TimeUnit.SECONDS)).isTrue();
			LeaderElections elections = context.getBean(LeaderElections.class);
			elections.pause();
			assertThat(context.getBean(DefaultLeaderElections.class).status("many").state()).isEqualTo("LEAVING");
			job.mayEnd().countDown();
			for (Future<?> call : calls) {
				call.get(20, TimeUnit.SECONDS);
			}
			TestContexts.await()
				.until(() -> context.getBean(DefaultLeaderElections.class).status("many").state().equals("FOLLOWER"));
		});
	}

	@Test
	void scheduledMethodRunsOnTheLeader() {
		this.contextRunner.withUserConfiguration(ScheduledConfiguration.class).run((context) -> {
			TestContexts.lead(context);
			Journal journal = context.getBean(Journal.class);
			TestContexts.await().until(() -> journal.notes().stream().filter("work"::equals).count() >= 3);
			assertThat(journal.entries()).filteredOn((entry) -> entry.what().equals("work"))
				.allSatisfy((entry) -> assertThat(entry.roles()).containsExactly("scheduled"));
		});
	}

	@Test
	void scheduledMethodIsSkippedOnFollowersAndOthersGoOn() {
		this.contextRunner.withUserConfiguration(ScheduledConfiguration.class)
			.withPropertyValues("leader.candidate.enabled=false")
			.run((context) -> {
				TestContexts.ready(context);
				Journal journal = context.getBean(Journal.class);
				TestContexts.await().until(() -> journal.notes().size() >= 5);
				assertThat(journal.notes()).containsOnly("everywhere");
			});
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	static class AsyncConfiguration {

		@Bean
		ThreadPoolTaskExecutor applicationTaskExecutor() {
			ThreadPoolTaskExecutor executor = new ThreadPoolTaskExecutor();
			executor.setCorePoolSize(1);
			executor.setMaxPoolSize(1);
			executor.setThreadNamePrefix("pool-");
			return executor;
		}

		@Bean
		AsyncJob job(Journal journal) {
			return new AsyncJob(journal);
		}

	}

	static class AsyncJob {

		private final Journal journal;

		AsyncJob(Journal journal) {
			this.journal = journal;
		}

		@Async
		@LeaderOnly("async")
		public void work() {
			this.journal.note("work");
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class ScheduledConfiguration {

		@Bean
		ScheduledJob job(Journal journal) {
			return new ScheduledJob(journal);
		}

	}

	static class ScheduledJob {

		private final Journal journal;

		ScheduledJob(Journal journal) {
			this.journal = journal;
		}

		@Scheduled(fixedDelay = 10)
		@LeaderOnly("scheduled")
		void work() {
			this.journal.note("work");
		}

		@Scheduled(fixedDelay = 10)
		void everywhere() {
			this.journal.note("everywhere");
		}

	}

	static class ManyJob {

		static final int CALLS = 200;

		private final CountDownLatch inside = new CountDownLatch(CALLS);

		private final CountDownLatch mayEnd = new CountDownLatch(1);

		@LeaderOnly("many")
		public void work() {
			this.inside.countDown();
			try {
				assertThat(this.mayEnd.await(20, TimeUnit.SECONDS)).isTrue();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
			LeaderContext.check();
		}

		public CountDownLatch inside() {
			return this.inside;
		}

		public CountDownLatch mayEnd() {
			return this.mayEnd;
		}

	}

}
