package io.leaderstarter.aop;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.leaderstarter.LeaderContext;
import io.leaderstarter.LeaderElections;
import io.leaderstarter.LeaderOnly;
import io.leaderstarter.OnLoss;
import io.leaderstarter.TestContexts;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of a call that runs when its term ends: its context, its notification, and its
 * interruption if that is configured.
 */
class LeaderOnlyLossTests {

	private final ApplicationContextRunner contextRunner = TestContexts.local().withBean(Job.class);

	@Test
	void callThatWantsItIsInterruptedWhenItTakesTooLong() {
		this.contextRunner.withPropertyValues("leader.shutdown.drain-timeout=0").run((context) -> {
			Job job = context.getBean(Job.class);
			Thread thread = inside(context, job::interruptible);
			context.getBean(LeaderElections.class).pause();
			assertThat(job.ended().await(20, TimeUnit.SECONDS)).isTrue();
			assertThat(job.outcome()).isEqualTo("interrupted");
			thread.join(20_000);
			assertThat(job.stillInterrupted()).isFalse();
		});
	}

	@Test
	void callIsNotInterruptedOtherwise() {
		this.contextRunner.withPropertyValues("leader.shutdown.drain-timeout=0").run((context) -> {
			Job job = context.getBean(Job.class);
			Thread thread = inside(context, job::work);
			context.getBean(LeaderElections.class).pause();
			assertThat(job.cancelled().await(20, TimeUnit.SECONDS)).isTrue();
			job.mayEnd().countDown();
			thread.join(20_000);
			assertThat(job.outcome()).isEqualTo("done");
		});
	}

	@Test
	void callThatMayEndInPeaceIsNotInterrupted() {
		this.contextRunner.run((context) -> {
			Job job = context.getBean(Job.class);
			Thread thread = inside(context, job::interruptible);
			context.getBean(LeaderElections.class).pause();
			TestContexts.await().until(job::isEnding);
			job.mayEnd().countDown();
			thread.join(20_000);
			assertThat(job.outcome()).isEqualTo("done");
			assertThat(job.cancelled().getCount()).isOne();
		});
	}

	private static Thread inside(ApplicationContext context, Runnable work) throws InterruptedException {
		TestContexts.lead(context);
		Job job = context.getBean(Job.class);
		Thread thread = new Thread(() -> {
			work.run();
			job.noteInterrupt();
		});
		thread.start();
		assertThat(job.begun().await(20, TimeUnit.SECONDS)).isTrue();
		return thread;
	}

	static class Job {

		private final CountDownLatch begun = new CountDownLatch(1);

		private final CountDownLatch mayEnd = new CountDownLatch(1);

		private final CountDownLatch cancelled = new CountDownLatch(1);

		private final CountDownLatch ended = new CountDownLatch(1);

		private volatile Runnable ask = () -> {
		};

		private volatile boolean ending;

		private volatile boolean stillInterrupted;

		private volatile String outcome = "";

		@LeaderOnly(value = "loss", onLoss = OnLoss.INTERRUPT)
		public void interruptible() {
			run();
		}

		@LeaderOnly("loss")
		public void work() {
			run();
		}

		private void run() {
			LeaderContext.onCancel(this.cancelled::countDown);
			this.ask = LeaderContext.wrap((Runnable) () -> this.ending = LeaderContext.isEnding());
			this.begun.countDown();
			try {
				this.outcome = this.mayEnd.await(20, TimeUnit.SECONDS) ? "done" : "too long";
			}
			catch (InterruptedException ex) {
				this.outcome = "interrupted";
				// As code does that is not the owner of its thread.
				Thread.currentThread().interrupt();
			}
			this.ended.countDown();
		}

		public boolean isEnding() {
			this.ask.run();
			return this.ending;
		}

		public void noteInterrupt() {
			this.stillInterrupted = Thread.currentThread().isInterrupted();
		}

		public CountDownLatch begun() {
			return this.begun;
		}

		public CountDownLatch mayEnd() {
			return this.mayEnd;
		}

		public CountDownLatch cancelled() {
			return this.cancelled;
		}

		public CountDownLatch ended() {
			return this.ended;
		}

		public String outcome() {
			return this.outcome;
		}

		public boolean stillInterrupted() {
			return this.stillInterrupted;
		}

	}

}
