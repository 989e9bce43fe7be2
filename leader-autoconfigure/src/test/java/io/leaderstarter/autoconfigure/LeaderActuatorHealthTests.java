package io.leaderstarter.autoconfigure;

import io.leaderstarter.TestContexts;
import io.leaderstarter.actuate.LeaderHealthIndicator;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the health of {@link LeaderActuatorAutoConfiguration}.
 */
class LeaderActuatorHealthTests {

	private final ApplicationContextRunner contextRunner = TestContexts.local()
		.withConfiguration(
				AutoConfigurations.of(HealthContributorAutoConfiguration.class, LeaderActuatorAutoConfiguration.class));

	@Test
	void timeUntilOutOfServiceMustNotBeNegative() {
		this.contextRunner.withPropertyValues("management.health.leader.out-of-service-after=-1s")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LeaderConfigurationException.class)
				.hasMessageContaining("management.health.leader.out-of-service-after"));
	}

	@Test
	void indicatorIsThere() {
		this.contextRunner.run((context) -> assertThat(context).hasSingleBean(LeaderHealthIndicator.class)
			.hasBean("leaderHealthContributor"));
	}

	@Test
	void indicatorIsNotThereIfDisabled() {
		this.contextRunner.withPropertyValues("management.health.leader.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(LeaderHealthIndicator.class));
	}

	@Test
	void indicatorIsNotThereIfAllAreDisabledByDefault() {
		this.contextRunner.withPropertyValues("management.health.defaults.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(LeaderHealthIndicator.class));
	}

	@Test
	void indicatorIsNotThereWithoutElections() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LeaderActuatorAutoConfiguration.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LeaderHealthIndicator.class));
	}

	@Test
	void indicatorBacksOffForTheUsersOwnByEitherName() {
		for (String name : new String[] { "leaderHealthIndicator", "leaderHealthContributor" }) {
			this.contextRunner.withBean(name, HealthIndicator.class, () -> () -> Health.up().build())
				.run((context) -> assertThat(context).doesNotHaveBean(LeaderHealthIndicator.class));
		}
	}

	@Test
	void indicatorIsNotThereWithoutHealth() {
		this.contextRunner.withClassLoader(new FilteredClassLoader(ConditionalOnEnabledHealthIndicator.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("leaderHealthContributor"));
	}

}
