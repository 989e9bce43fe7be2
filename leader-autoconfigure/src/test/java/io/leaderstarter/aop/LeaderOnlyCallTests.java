package io.leaderstarter.aop;

import java.io.IOException;

import io.leaderstarter.LeaderContext;
import io.leaderstarter.LeaderElections;
import io.leaderstarter.LeaderOnly;
import io.leaderstarter.Leadership;
import io.leaderstarter.TestContexts;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link LeaderOnlyAdvisor}, through proxies in real contexts.
 */
class LeaderOnlyCallTests {

	private final ApplicationContextRunner contextRunner = TestContexts.local()
		.withBean(Journal.class)
		.withBean(Job.class);

	@Test
	void leaderRunsTheCallUnderItsTerm() {
		this.contextRunner.run((context) -> {
			TestContexts.lead(context);
			Leadership leadership = context.getBean(LeaderElections.class).election("outer").leadership().orElseThrow();
			context.getBean(Job.class).outer();
			assertThat(context.getBean(Journal.class).entries()).singleElement()
				.extracting(Journal.Entry::term)
				.isEqualTo(leadership);
			assertThat(LeaderContext.current()).isEmpty();
		});
	}

	@Test
	void followerSkipsTheCall() {
		this.contextRunner.withPropertyValues("leader.candidate.enabled=false").run((context) -> {
			TestContexts.ready(context);
			context.getBean(Job.class).outer();
			assertThat(context.getBean(Journal.class).notes()).isEmpty();
		});
	}

	@Test
	void roleThatThisMemberIsNoCandidateForIsSkippedAndOthersRun() {
		this.contextRunner.withPropertyValues("leader.roles.outer.candidate=false").run((context) -> {
			TestContexts.lead(context, "inner", "failing");
			context.getBean(Job.class).outer();
			context.getBean(Job.class).inner();
			assertThat(context.getBean(Journal.class).notes()).containsExactly("inner");
		});
	}

	@Test
	void callIsSkippedBeforeTheApplicationIsReady() {
		this.contextRunner.run((context) -> {
			context.getBean(Job.class).outer();
			assertThat(context.getBean(Journal.class).notes()).isEmpty();
		});
	}

	@Test
	void callIsSkippedAfterTheContextIsClosed() {
		this.contextRunner.run((context) -> {
			TestContexts.lead(context);
			Job job = context.getBean(Job.class);
			Journal journal = context.getBean(Journal.class);
			context.getSourceApplicationContext(ConfigurableApplicationContext.class).close();
			job.outer();
			assertThat(journal.notes()).isEmpty();
		});
	}

	@Test
	void callIsSkippedAfterTheRoleIsResigned() {
		this.contextRunner.run((context) -> {
			TestContexts.lead(context);
			context.getBean(LeaderElections.class).election("outer").resign();
			context.getBean(Job.class).outer();
			context.getBean(Job.class).inner();
			assertThat(context.getBean(Journal.class).notes()).containsExactly("inner");
		});
	}

	@Test
	void methodsWithoutTheAnnotationRunEverywhereAndKnowNoTerm() {
		this.contextRunner.withPropertyValues("leader.candidate.enabled=false").run((context) -> {
			context.getBean(Job.class).free();
			assertThat(context.getBean(Journal.class).entries()).singleElement()
				.extracting(Journal.Entry::term)
				.isNull();
			assertThat(context.getBean(Job.class)).hasToString("job");
		});
	}

	@Test
	void exceptionsPassThroughAndTheTermIsTakenOffTheThread() {
		this.contextRunner.run((context) -> {
			TestContexts.lead(context);
			Job job = context.getBean(Job.class);
			assertThatIllegalStateException().isThrownBy(() -> job.fail(new IllegalStateException("own")))
				.withMessage("own");
			assertThatExceptionOfType(IOException.class).isThrownBy(() -> job.fail(new IOException("checked")))
				.withMessage("checked");
			assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> job.fail(new AssertionError("error")));
			assertThat(LeaderContext.current()).isEmpty();
			assertThat(LeaderContext.terms()).isEmpty();
		});
	}

	@Test
	void callThatFailedDoesNotHoldUpTheHandOver() {
		this.contextRunner.run((context) -> {
			TestContexts.lead(context);
			Job job = context.getBean(Job.class);
			LeaderElections elections = context.getBean(LeaderElections.class);
			long epoch = elections.election("failing").leadership().orElseThrow().epoch();
			assertThatIllegalStateException().isThrownBy(() -> job.fail(new IllegalStateException("own")));
			elections.election("failing").pause();
			elections.election("failing").resume();
			// It can compete again only once the former term has ended, and that has to
			// wait for its calls.
			TestContexts.await()
				.until(() -> elections.election("failing")
					.leadership()
					.filter((term) -> term.epoch() > epoch)
					.isPresent());
		});
	}

	@Test
	void nestedCallsOfTwoRolesSeeTheInnerTermFirstAndTheOuterOneAfterwards() {
		this.contextRunner.withBean(Caller.class).run((context) -> {
			TestContexts.lead(context);
			context.getBean(Caller.class).call();
			Journal journal = context.getBean(Journal.class);
			assertThat(journal.notes()).containsExactly("before", "inner", "after");
			assertThat(journal.entries().get(0).roles()).containsExactly("caller");
			assertThat(journal.entries().get(1).roles()).containsExactly("inner", "caller");
			assertThat(journal.entries().get(1).term().role()).isEqualTo("inner");
			assertThat(journal.entries().get(2).roles()).containsExactly("caller");
		});
	}

	@Test
	void nestedCallOfARoleThatIsNotLedIsSkippedWithinTheOuterOne() {
		this.contextRunner.withBean(Caller.class)
			.withPropertyValues("leader.roles.inner.candidate=false")
			.run((context) -> {
				TestContexts.lead(context, "caller");
				context.getBean(Caller.class).call();
				assertThat(context.getBean(Journal.class).notes()).containsExactly("before", "after");
			});
	}

	static class Job {

		private final Journal journal;

		Job(Journal journal) {
			this.journal = journal;
		}

		@LeaderOnly("outer")
		public void outer() {
			this.journal.note("outer");
		}

		@LeaderOnly("inner")
		void inner() {
			this.journal.note("inner");
		}

		@LeaderOnly("failing")
		protected void fail(Throwable problem) throws IOException {
			if (problem instanceof IOException checked) {
				throw checked;
			}
			if (problem instanceof Error error) {
				throw error;
			}
			throw (RuntimeException) problem;
		}

		public void free() {
			this.journal.note("free");
		}

		@Override
		public String toString() {
			return "job";
		}

	}

	static class Caller {

		private final Job job;

		private final Journal journal;

		Caller(Job job, Journal journal) {
			this.job = job;
			this.journal = journal;
		}

		@LeaderOnly("caller")
		public void call() {
			this.journal.note("before");
			this.job.inner();
			this.journal.note("after");
		}

	}

}
