package io.leaderstarter.aop;

import java.util.Optional;
import java.util.concurrent.TimeUnit;

import io.leaderstarter.LeaderContext;
import io.leaderstarter.LeaderElections;
import io.leaderstarter.LeaderOnly;
import io.leaderstarter.TestContexts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LeaderOnly#awaitUpTo()}.
 */
class LeaderOnlyAwaitTests {

	private final ApplicationContextRunner contextRunner = TestContexts.local()
		.withPropertyValues("wait=20s")
		.withBean(Job.class);

	@Test
	void callWaitsUntilThisMemberLeads() {
		this.contextRunner.run((context) -> {
			Job job = context.getBean(Job.class);
			Thread thread = new Thread(job::patient);
			thread.start();
			TestContexts.await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
			assertThat(job.epoch()).isZero();
			TestContexts.ready(context);
			thread.join(20_000);
			assertThat(job.epoch()).isPositive();
		});
	}

	@Test
	void waitingOfAScheduledRunDoesNotMakeAMemberCompete() {
		this.contextRunner.run((context) -> {
			assertThat(context.getBean(Job.class).hasty()).isEmpty();
			assertThat(context.getBean(LeaderElections.class).election("await").isLeader()).isFalse();
			TestContexts.lead(context);
			assertThat(context.getBean(Job.class).hasty()).isPresent();
		});
	}

	@Test
	void callThatIsInterruptedWhileItWaitsIsSkipped() {
		this.contextRunner.run((context) -> {
			Job job = context.getBean(Job.class);
			boolean[] interrupted = new boolean[1];
			Thread thread = new Thread(() -> {
				job.patient();
				interrupted[0] = Thread.currentThread().isInterrupted();
			});
			thread.start();
			thread.interrupt();
			thread.join(20_000);
			assertThat(interrupted[0]).isTrue();
			assertThat(job.epoch()).isZero();
		});
	}

	@ParameterizedTest
	@ValueSource(classes = { Unreadable.class, Negative.class })
	void timeThatCannotBeReadIsRefusedAtStart(Class<?> type) {
		TestContexts.local()
			.withBean("bad", type)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOfSatisfying(LeaderOnlyException.class, (failure) -> {
					assertThat(failure).hasMessageContaining("is not a time");
					assertThat(failure.getAdvice()).contains("5s");
				}));
	}

	@Test
	void streamThatWouldWaitIsRefusedAtStart() {
		TestContexts.local()
			.withBean(Stream.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(LeaderOnlyException.class)
				.hasMessageContaining("a stream cannot wait"));
	}

	static class Job {

		private volatile long epoch;

		@Scheduled(initialDelay = 1, timeUnit = TimeUnit.DAYS)
		@LeaderOnly(value = "await", awaitUpTo = "${wait}")
		public void patient() {
			this.epoch = LeaderContext.epoch();
		}

		@Scheduled(initialDelay = 1, timeUnit = TimeUnit.DAYS)
		@LeaderOnly(value = "await", awaitUpTo = "1ms")
		public Optional<Long> hasty() {
			return Optional.of(LeaderContext.epoch());
		}

		public long epoch() {
			return this.epoch;
		}

	}

	static class Unreadable {

		@LeaderOnly(value = "await", awaitUpTo = "a while")
		public void work() {
		}

	}

	static class Negative {

		@LeaderOnly(value = "await", awaitUpTo = "-1s")
		public void work() {
		}

	}

	static class Stream {

		@LeaderOnly(value = "await", awaitUpTo = "1s")
		public Mono<String> work() {
			return Mono.empty();
		}

	}

}
