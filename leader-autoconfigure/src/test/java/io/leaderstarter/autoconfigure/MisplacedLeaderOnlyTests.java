package io.leaderstarter.autoconfigure;

import io.leaderstarter.LeaderOnly;
import io.leaderstarter.TestContexts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Tests for what an application prints whose {@code @LeaderOnly} is where it cannot work,
 * or means nothing.
 */
@ResourceLock(Resources.SYSTEM_OUT)
@ExtendWith(OutputCaptureExtension.class)
class MisplacedLeaderOnlyTests {

	@ParameterizedTest
	@ValueSource(classes = { FinalJob.class, LazyFinalJob.class })
	void finalClassIsExplained(Class<?> configuration, CapturedOutput output) {
		assertThatStartFails(configuration);
		assertThat(output).contains("APPLICATION FAILED TO START",
				"OpenNot.work: its class is final, and a final class has no subclass, so no proxy intercepts its calls",
				"Action:", "Remove 'final' from the class.", "kotlin-spring");
	}

	@Test
	void recordIsExplained(CapturedOutput output) {
		assertThatStartFails(RecordJob.class);
		assertThat(output).contains("APPLICATION FAILED TO START",
				"Job.work: its class is a record, and a record has no subclass, so no proxy intercepts its calls",
				"Action:", "Convert the record to a class.");
	}

	@ParameterizedTest
	@ValueSource(classes = { FactoryMethod.class, StaticFactoryMethod.class, LazyFactoryMethod.class })
	void factoryMethodIsExplained(Class<?> configuration, CapturedOutput output) {
		assertThatStartFails(configuration);
		assertThat(output).contains("APPLICATION FAILED TO START",
				"report: it is a @Bean method, which every node has to call, as the bean must exist when the node leads",
				"Action:", "Remove @LeaderOnly from the @Bean method. Put @LeaderOnly on the methods of the bean")
			.doesNotContain("Remove 'static'");
	}

	@ParameterizedTest
	@ValueSource(classes = { AnnotatedConfiguration.class, AnnotatedConfigurationOfStatics.class })
	void annotatedConfigurationIsExplained(Class<?> configuration, CapturedOutput output) {
		assertThatStartFails(configuration);
		assertThat(output).contains("APPLICATION FAILED TO START", "report: it is a @Bean method", "Action:",
				"Remove @LeaderOnly from the class %s, which has @Bean methods. Put @LeaderOnly on the methods of the bean"
					.formatted(configuration.getName()));
	}

	@Test
	void otherMethodsOfConfigurationsAreProtected() {
		try (ConfigurableApplicationContext context = start(ScheduledInConfiguration.class)) {
			ScheduledInConfiguration configuration = context.getBean(ScheduledInConfiguration.class);
			TestContexts.lead(context, "misplaced");
			assertThat(configuration.work()).isTrue();
		}
	}

	@Test
	void missingRoleIsExplained(CapturedOutput output) {
		assertThatStartFails(NoRole.class, "--spring.application.name=", "--leader.namespace=test");
		assertThat(output).contains("it names no role, and spring.application.name is not set",
				"Give @LeaderOnly a role, or set spring.application.name");
	}

	@ParameterizedTest
	@ValueSource(strings = { "redis", "" })
	void localBackendIsOfferedWithAWarning(String backend, CapturedOutput output) {
		assertThatStartFails(Empty.class, "--leader.backend=" + backend);
		assertThat(output).contains("leader.backend is '" + backend + "', which is not available",
				"- Set leader.backend=local only for development on one node: every instance of the application leads all roles then.");
	}

	private static void assertThatStartFails(Class<?> configuration, String... properties) {
		assertThatException().isThrownBy(() -> start(configuration, properties).close());
	}

	private static ConfigurableApplicationContext start(Class<?> configuration, String... properties) {
		return new SpringApplicationBuilder(configuration).web(WebApplicationType.NONE)
			.properties("spring.application.name=test", "leader.backend=local", "spring.main.banner-mode=off",
					"spring.datasource.url=" + TestContexts.h2())
			.run(properties);
	}

	@EnableAutoConfiguration
	static class Empty {

	}

	static final class OpenNot {

		@LeaderOnly("misplaced")
		public void work() {
		}

	}

	record Job(String name) {

		@LeaderOnly("misplaced")
		public void work() {
		}

	}

	@EnableAutoConfiguration
	static class FinalJob {

		@Bean
		OpenNot job() {
			return new OpenNot();
		}

	}

	@EnableAutoConfiguration
	static class LazyFinalJob {

		@Bean
		@Lazy
		OpenNot job() {
			return new OpenNot();
		}

	}

	@EnableAutoConfiguration
	static class RecordJob {

		@Bean
		Job job() {
			return new Job("nightly");
		}

	}

	@EnableAutoConfiguration
	@Configuration
	static class FactoryMethod {

		@Bean
		@LeaderOnly("misplaced")
		Object report() {
			return new Object();
		}

	}

	@EnableAutoConfiguration
	@Configuration
	static class StaticFactoryMethod {

		@Bean
		@LeaderOnly("misplaced")
		static Object report() {
			return new Object();
		}

	}

	@EnableAutoConfiguration
	@Configuration
	static class LazyFactoryMethod {

		@Bean
		@Lazy
		@LeaderOnly("misplaced")
		Object report() {
			return new Object();
		}

	}

	@EnableAutoConfiguration
	@Configuration
	@LeaderOnly("misplaced")
	static class AnnotatedConfiguration {

		@Bean
		Object report() {
			return new Object();
		}

	}

	@EnableAutoConfiguration
	@Configuration
	@LeaderOnly("misplaced")
	static class AnnotatedConfigurationOfStatics {

		@Bean
		static Object report() {
			return new Object();
		}

	}

	@EnableAutoConfiguration
	@Configuration
	static class ScheduledInConfiguration {

		@Bean
		Object report() {
			return new Object();
		}

		@Scheduled(fixedDelay = 1000)
		@LeaderOnly("misplaced")
		Boolean work() {
			return true;
		}

	}

	@EnableAutoConfiguration
	static class NoRole {

		@LeaderOnly
		public void work() {
		}

	}

}
