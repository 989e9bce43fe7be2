package io.leaderstarter.autoconfigure;

import java.time.Duration;

import io.leaderstarter.LeaderElection;
import io.leaderstarter.LeaderElections;
import io.leaderstarter.LeaderOnly;
import io.leaderstarter.TestContexts;
import io.leaderstarter.aop.LeaderOnlyAdvisor;
import io.leaderstarter.aop.LeaderOnlyVerifier;
import io.leaderstarter.election.DefaultLeaderElections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LeaderOnlyAutoConfiguration}.
 */
@Isolated("other tests log the same")
@ExtendWith(OutputCaptureExtension.class)
class LeaderOnlyAutoConfigurationTests {

	@Test
	void adviseAndVerify() {
		TestContexts.local()
			.run((context) -> assertThat(context).hasSingleBean(LeaderOnlyAdvisor.class)
				.hasSingleBean(LeaderOnlyVerifier.class));
	}

	@Test
	void advisorBacksOffForTheUsersOwn() {
		TestContexts.local().withUserConfiguration(OwnAdvisor.class).withBean(Job.class).run((context) -> {
			assertThat(context).hasSingleBean(LeaderOnlyAdvisor.class);
			assertThat(context.getBean(LeaderElections.class).all()).extracting(LeaderElection::role)
				.containsExactly("own.duty");
		});
	}

	@Test
	void withoutElectionsNothingIsNeededUnlessTheAnnotationIsUsed() {
		ApplicationContextRunner alone = new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(LeaderOnlyAutoConfiguration.class));
		alone.run((context) -> assertThat(context).hasNotFailed());
		alone.withBean(Job.class)
			.run((context) -> assertThat(context).getFailure().hasMessageContaining("DefaultLeaderElections"));
	}

	/**
	 * Spring warns of beans that are made before all post processors are there, as they
	 * would miss some.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "leader.fence.enabled=false", "leader.fence.enabled=true",
			"leader.fence.wrap-data-sources=true" })
	void noBeanIsCreatedTooEarly(String property, CapturedOutput output) {
		TestContexts.jdbc(TestContexts.h2())
			.withBean(Job.class)
			.withPropertyValues(property)
			.withConfiguration(AutoConfigurations.of(LeaderFenceAutoConfiguration.class,
					DataSourceTransactionManagerAutoConfiguration.class, AopAutoConfiguration.class,
					TaskSchedulingAutoConfiguration.class))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(output).doesNotContain("is not eligible for getting processed by all BeanPostProcessors");
			});
	}

	static class Job {

		@LeaderOnly("duty")
		public void work() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnAdvisor {

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static LeaderOnlyAdvisor ownAdvisor(ObjectProvider<DefaultLeaderElections> elections) {
			return new LeaderOnlyAdvisor(elections::getObject, (role) -> "own." + role, Duration::parse, () -> null);
		}

	}

}
