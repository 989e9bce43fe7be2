package io.leaderstarter.aop;

import io.leaderstarter.LeaderElection;
import io.leaderstarter.LeaderElections;
import io.leaderstarter.LeaderOnly;
import io.leaderstarter.TestContexts;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the role that {@link LeaderOnly} names.
 */
class LeaderOnlyRoleTests {

	private final ApplicationContextRunner contextRunner = TestContexts.local();

	@Test
	void isTheNameOfTheApplicationIfLeftOut() {
		this.contextRunner.withBean(NoRole.class).run((context) -> {
			assertThat(context.getBean(LeaderElections.class).all()).extracting(LeaderElection::role)
				.containsExactly("test");
			TestContexts.lead(context);
			assertThat(context.getBean(NoRole.class).work()).isTrue();
		});
	}

	@Test
	void isResolvedFromPlaceholders() {
		this.contextRunner.withBean(Placeholder.class)
			.withPropertyValues("jobs.role=invoices")
			.run((context) -> assertThat(context.getBean(LeaderElections.class).all()).extracting(LeaderElection::role)
				.containsExactly("billing.invoices", "fallback"));
	}

	@Test
	void ofSeveralMethodsCanBeTheSame() {
		this.contextRunner.withBean(OneRole.class)
			.run((context) -> assertThat(context.getBean(LeaderElections.class).all()).extracting(LeaderElection::role)
				.containsExactly("shared"));
	}

	@Test
	void failsIfNothingNamesOne() {
		this.contextRunner.withBean(NoRole.class)
			.withPropertyValues("spring.application.name=", "leader.namespace=test")
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(LeaderOnlyException.class)
				.hasMessageContainingAll("NoRole.work", "it names no role", "spring.application.name is not set"));
	}

	@Test
	void failsIfThePlaceholderMeansNothing() {
		this.contextRunner.withBean(Placeholder.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOfSatisfying(LeaderOnlyException.class, (failure) -> {
					assertThat(failure).hasMessageContainingAll("Placeholder.work", "jobs.role");
					assertThat(failure.getAdvice()).contains("Give @LeaderOnly a role", "property");
				}));
	}

	@Test
	void failsIfNoRoleCanHaveTheName() {
		this.contextRunner.withBean(BadRole.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(LeaderOnlyException.class)
				.hasMessageContainingAll("BadRole.work", "'close invoices' cannot be the name of a role",
						"letters, digits and . _ : -"));
	}

	@Test
	void failsIfTheNameOfTheApplicationCannotBeOne() {
		this.contextRunner.withBean(NoRole.class)
			.withPropertyValues("spring.application.name=My Application")
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(LeaderOnlyException.class)
				.hasMessageContainingAll("NoRole.work", "'My Application' cannot be the name of a role"));
	}

	static class NoRole {

		@LeaderOnly
		public boolean work() {
			return true;
		}

	}

	static class Placeholder {

		@LeaderOnly("billing.${jobs.role}")
		public void work() {
		}

		@LeaderOnly("${jobs.other:fallback}")
		public void other() {
		}

	}

	static class OneRole {

		@LeaderOnly("shared")
		public void work() {
		}

		@LeaderOnly("shared")
		public void other() {
		}

	}

	static class BadRole {

		@LeaderOnly("close invoices")
		public void work() {
		}

	}

}
