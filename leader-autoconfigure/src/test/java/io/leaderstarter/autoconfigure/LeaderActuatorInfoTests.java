package io.leaderstarter.autoconfigure;

import io.leaderstarter.TestContexts;
import io.leaderstarter.actuate.LeaderInfoContributor;
import org.junit.jupiter.api.Test;

import org.springframework.boot.actuate.autoconfigure.info.ConditionalOnEnabledInfoContributor;
import org.springframework.boot.actuate.info.Info;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the info of {@link LeaderActuatorAutoConfiguration}.
 */
class LeaderActuatorInfoTests {

	private final ApplicationContextRunner contextRunner = TestContexts.local()
		.withConfiguration(AutoConfigurations.of(LeaderActuatorAutoConfiguration.class));

	private final ApplicationContextRunner enabled = this.contextRunner
		.withPropertyValues("management.info.leader-roles.enabled=true");

	@Test
	void infoIsThereIfEnabled() {
		this.enabled.run((context) -> {
			Info.Builder builder = new Info.Builder();
			context.getBean(LeaderInfoContributor.class).contribute(builder);
			assertThat(builder.build().getDetails()).containsOnlyKeys("leader");
		});
		this.contextRunner.run((context) -> assertThat(context).doesNotHaveBean(LeaderInfoContributor.class));
	}

	@Test
	void infoIsThereBesideThatOfSpringCloudKubernetes() {
		this.enabled.withPropertyValues("management.info.leader.enabled=true")
			.withConfiguration(AutoConfigurations.of(Kubernetes.class))
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(LeaderInfoContributor.class)
				.hasBean("leaderInfoContributor"));
	}

	@Test
	void switchOfSpringCloudKubernetesIsIgnored() {
		this.contextRunner.withPropertyValues("management.info.leader.enabled=true")
			.run((context) -> assertThat(context).doesNotHaveBean(LeaderInfoContributor.class));
	}

	@Test
	void infoIsNotThereWithoutActuator() {
		this.enabled.withClassLoader(new FilteredClassLoader(ConditionalOnEnabledInfoContributor.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LeaderInfoContributor.class));
	}

	/** As that of Spring Cloud Kubernetes is. */
	@Configuration(proxyBeanMethods = false)
	static class Kubernetes {

		@Bean
		@ConditionalOnEnabledInfoContributor("leader")
		InfoContributor leaderInfoContributor() {
			return (builder) -> builder.withDetail("leaderElection", "kubernetes");
		}

	}

}
