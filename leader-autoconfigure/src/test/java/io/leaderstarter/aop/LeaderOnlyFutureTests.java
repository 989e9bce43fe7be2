package io.leaderstarter.aop;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.leaderstarter.LeaderContext;
import io.leaderstarter.LeaderElection;
import io.leaderstarter.LeaderElections;
import io.leaderstarter.LeaderOnly;
import io.leaderstarter.NotLeaderException;
import io.leaderstarter.OnLoss;
import io.leaderstarter.Otherwise;
import io.leaderstarter.StaleLeaderException;
import io.leaderstarter.TestContexts;
import io.leaderstarter.election.DefaultLeaderElections;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link CallShape#FUTURE}: the role is kept until the future is complete.
 */
class LeaderOnlyFutureTests {

	private final ApplicationContextRunner contextRunner = TestContexts.local().withBean(Job.class);

	private final ApplicationContextRunner followerRunner = this.contextRunner
		.withPropertyValues("leader.candidate.enabled=false");

	@Test
	void roleIsKeptUntilTheFutureIsComplete() {
		this.contextRunner.run((context) -> {
			TestContexts.lead(context);
			Job job = context.getBean(Job.class);
			CompletableFuture<String> result = job.work();
			assertThat(LeaderContext.current()).isEmpty();
			election(context).resign();
			assertThat(context.getBean(DefaultLeaderElections.class).status("future").state()).isEqualTo("LEAVING");
			job.source().complete("done");
			assertThat(result).isCompletedWithValue("done");
			awaitFollower(context);
		});
	}

	@Test
	void roleIsFreeIfTheFutureFailsOrIsCancelledOrIsNotThere() {
		this.contextRunner.run((context) -> {
			TestContexts.lead(context);
			Job job = context.getBean(Job.class);
			job.work();
			job.source().completeExceptionally(new IllegalStateException("failed"));
			job.work().cancel(true);
			assertThat(job.none()).isNull();
			assertThatIllegalStateException().isThrownBy(job::fails);
			election(context).resign();
			awaitFollower(context);
		});
	}

	@Test
	void stagesAreFuturesToo() {
		this.contextRunner.run((context) -> {
			TestContexts.lead(context);
			Job job = context.getBean(Job.class);
			assertThat(job.stage().toCompletableFuture()).isNotDone();
			election(context).resign();
			assertThat(context.getBean(DefaultLeaderElections.class).status("future").state()).isEqualTo("LEAVING");
			job.source().complete("done");
			awaitFollower(context);
		});
	}

	@Test
	void futureEndsWithItsTermIfThatIsWanted() {
		this.contextRunner.withPropertyValues("leader.shutdown.drain-timeout=0").run((context) -> {
			TestContexts.lead(context);
			Job job = context.getBean(Job.class);
			CompletableFuture<String> result = job.interruptible();
			election(context).resign();
			TestContexts.await().until(result::isDone);
			assertThat(result).isCompletedExceptionally();
			assertThat(failure(result)).isInstanceOf(StaleLeaderException.class);
			// The work goes on, though its result is not awaited.
			assertThat(job.source()).isNotDone();
			assertThat(context.getBean(DefaultLeaderElections.class).status("future").state()).isNotEqualTo("FOLLOWER");
			job.source().complete("done");
			awaitFollower(context);
		});
	}

	@Test
	void futureThatWouldEndWithItsTermGivesItsResultAndCanBeCancelled() {
		this.contextRunner.run((context) -> {
			TestContexts.lead(context);
			Job job = context.getBean(Job.class);
			CompletableFuture<String> result = job.interruptible();
			job.source().complete("done");
			assertThat(result).isCompletedWithValue("done");
			job.interruptible().cancel(true);
			assertThat(job.source()).isCancelled();
			CompletableFuture<String> failing = job.interruptible();
			job.source().completeExceptionally(new IllegalStateException("failed"));
			assertThat(failing).isCompletedExceptionally();
			election(context).resign();
			awaitFollower(context);
		});
	}

	@Test
	void followerFailsOrSkips() {
		this.followerRunner.run((context) -> {
			Job job = context.getBean(Job.class);
			assertThat(failure(job.work())).isInstanceOf(NotLeaderException.class)
				.hasMessageContaining("needs the role 'future'");
			assertThat(failure(job.stage().toCompletableFuture())).isInstanceOf(NotLeaderException.class);
			assertThat(job.nothing()).isCompletedWithValue(null);
			assertThat(job.skips()).isCompletedWithValue(null);
		});
	}

	private static Throwable failure(CompletableFuture<?> future) {
		return future.handle((result, failure) -> failure).join();
	}

	private static LeaderElection election(ApplicationContext context) {
		return context.getBean(LeaderElections.class).election("future");
	}

	private static void awaitFollower(ApplicationContext context) {
		DefaultLeaderElections elections = context.getBean(DefaultLeaderElections.class);
		TestContexts.await().until(() -> elections.status("future").state().equals("FOLLOWER"));
	}

	static class Job {

		private volatile CompletableFuture<String> source = new CompletableFuture<>();

		@LeaderOnly("future")
		public CompletableFuture<String> work() {
			LeaderContext.check();
			this.source = new CompletableFuture<>();
			return this.source;
		}

		@LeaderOnly("future")
		public CompletionStage<String> stage() {
			return work();
		}

		@LeaderOnly(value = "future", onLoss = OnLoss.INTERRUPT)
		public CompletableFuture<String> interruptible() {
			return work();
		}

		@LeaderOnly("future")
		public CompletableFuture<Void> nothing() {
			throw new AssertionError("must not run");
		}

		@LeaderOnly(value = "future", otherwise = Otherwise.SKIP)
		public CompletableFuture<String> skips() {
			throw new AssertionError("must not run");
		}

		@LeaderOnly("future")
		public CompletableFuture<String> none() {
			return null;
		}

		@LeaderOnly("future")
		public CompletableFuture<String> fails() {
			throw new IllegalStateException("failed");
		}

		/** Not a field, as a proxy has other fields. */
		public CompletableFuture<String> source() {
			return this.source;
		}

	}

}
