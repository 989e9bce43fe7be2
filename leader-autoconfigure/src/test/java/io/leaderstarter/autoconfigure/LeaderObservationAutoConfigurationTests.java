package io.leaderstarter.autoconfigure;

import io.leaderstarter.TestContexts;
import io.leaderstarter.election.DefaultLeaderElections;
import io.leaderstarter.metrics.LeaderMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LeaderObservationAutoConfiguration}.
 */
class LeaderObservationAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = TestContexts.local()
		.withPropertyValues("test.roles=duty")
		.withConfiguration(AutoConfigurations.of(LeaderObservationAutoConfiguration.class));

	private final ApplicationContextRunner registryRunner = this.contextRunner
		.withConfiguration(AutoConfigurations.of(MetricsAutoConfiguration.class,
				SimpleMetricsExportAutoConfiguration.class, CompositeMeterRegistryAutoConfiguration.class));

	@Test
	void metersAreBoundToTheRegistryThatBootMakes() {
		this.registryRunner.run((context) -> {
			assertThat(context).hasSingleBean(LeaderMetrics.class);
			assertThat(context.getBean(MeterRegistry.class).find("leader.leading").tag("role", "duty").gauge())
				.isNotNull();
		});
	}

	@Test
	void metersAreNotThereWithoutARegistry() {
		this.contextRunner.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LeaderMetrics.class));
	}

	@Test
	void metersCanBeDisabledAsAllOthers() {
		this.registryRunner.withPropertyValues("management.metrics.enable.leader=false")
			.run((context) -> assertThat(context.getBean(MeterRegistry.class).find("leader.leading").gauge()).isNull());
	}

	@Test
	void metersAreNotThereWithoutElections() {
		new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(LeaderObservationAutoConfiguration.class, MetricsAutoConfiguration.class,
							SimpleMetricsExportAutoConfiguration.class, CompositeMeterRegistryAutoConfiguration.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LeaderMetrics.class));
	}

	@Test
	void metersBackOffForTheUsersOwn() {
		this.registryRunner.withBean("own", OwnMetrics.class)
			.run((context) -> assertThat(context).hasSingleBean(LeaderMetrics.class).hasBean("own"));
	}

	@Test
	void metersAreNotThereWithoutMicrometer() {
		this.contextRunner.withClassLoader(new FilteredClassLoader(MeterRegistry.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("leaderMetrics"));
	}

	static class OwnMetrics extends LeaderMetrics {

		OwnMetrics(DefaultLeaderElections elections) {
			super(elections);
		}

	}

}
