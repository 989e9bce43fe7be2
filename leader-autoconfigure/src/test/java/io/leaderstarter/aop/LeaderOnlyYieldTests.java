package io.leaderstarter.aop;

import io.leaderstarter.LeaderElections;
import io.leaderstarter.LeaderOnly;
import io.leaderstarter.LeadershipRevokedEvent;
import io.leaderstarter.RevocationReason;
import io.leaderstarter.TestContexts;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.event.EventListener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests that a role whose work fails again and again is given up for another member.
 */
class LeaderOnlyYieldTests {

	private final ApplicationContextRunner contextRunner = TestContexts.jdbc(TestContexts.h2())
		.withPropertyValues("leader.roles.failing.yield-after-failures=2")
		.withBean(Job.class);

	@Test
	void anotherMemberHasATry() {
		this.contextRunner.run((first) -> this.contextRunner.run((second) -> {
			TestContexts.lead(first, "failing");
			TestContexts.ready(second);
			Job job = first.getBean(Job.class);
			assertThatIllegalStateException().isThrownBy(job::work);
			assertThat(first.getBean(LeaderElections.class).election("failing").isLeader()).isTrue();
			assertThatIllegalStateException().isThrownBy(job::work);
			assertThat(first.getBean(LeaderElections.class).election("failing").isLeader()).isFalse();
			TestContexts.await().until(() -> second.getBean(LeaderElections.class).election("failing").isLeader());
			TestContexts.await().until(() -> job.reason() == RevocationReason.YIELDED);
		}));
	}

	@Test
	void numberThatIsNegativeIsRefused() {
		this.contextRunner.withPropertyValues("leader.roles.failing.yield-after-failures=-1")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("leader.roles.failing.yield-after-failures is -1"));
	}

	static class Job {

		private volatile RevocationReason reason;

		@LeaderOnly("failing")
		public void work() {
			throw new IllegalStateException("failed");
		}

		@EventListener
		public void on(LeadershipRevokedEvent event) {
			this.reason = event.reason();
		}

		public RevocationReason reason() {
			return this.reason;
		}

	}

}
