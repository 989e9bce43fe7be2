package io.leaderstarter.autoconfigure;

import javax.sql.DataSource;

import io.leaderstarter.LeaderElections;
import io.leaderstarter.LeaderOnly;
import io.leaderstarter.TestContexts;
import io.leaderstarter.fencing.jdbc.FencedJdbcTemplate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Tests for {@link MissingBeanFailureAnalyzer} and for what is left of leader election
 * where parts of it are switched off.
 */
@ResourceLock(Resources.SYSTEM_OUT)
@ExtendWith(OutputCaptureExtension.class)
class MissingBeanFailureAnalyzerTests {

	@Test
	void withoutItsAutoConfigurationNothingIsElected() {
		try (ConfigurableApplicationContext context = start(Without.class)) {
			assertThat(context.getBeansOfType(LeaderElections.class)).isEmpty();
			assertThat(context.getBeansOfType(FencedJdbcTemplate.class)).isEmpty();
			assertThat(context.getBean(JdbcTemplate.class).queryForObject("select 1", Integer.class)).isOne();
		}
	}

	@Test
	void annotationWithoutElectionsIsExplained(CapturedOutput output) {
		assertThatStartFails(WithoutButAnnotated.class);
		assertThat(output).contains("@LeaderOnly cannot protect", "OpenJob.work: there are no elections", "Action:",
				"Do not exclude LeaderAutoConfiguration.", "leader.backend=local");
	}

	@Test
	void injectionWithoutElectionsIsExplained(CapturedOutput output) {
		assertThatStartFails(WithoutButInjected.class);
		assertThat(output).contains(
				"A bean of type io.leaderstarter.LeaderElections is needed, but there are no elections", "Action:",
				"Do not exclude LeaderAutoConfiguration, or inject ObjectProvider<LeaderElections>");
	}

	@Test
	void fencedTemplateWithoutElectionsIsExplained(CapturedOutput output) {
		assertThatStartFails(WithoutButFenced.class);
		assertThat(output).contains("FencedJdbcTemplate is needed, but there are no elections", "Action:",
				"Do not exclude LeaderAutoConfiguration");
	}

	@Test
	void fencedTemplateWithoutFenceIsExplained(CapturedOutput output) {
		assertThatStartFails(NeedsTemplate.class, "--leader.fence.enabled=false");
		assertThat(output).contains(
				"A bean of type io.leaderstarter.fencing.jdbc.FencedJdbcTemplate is needed, but the fence is off (leader.fence.enabled=false)",
				"Action:", "Remove leader.fence.enabled, or inject JdbcTemplate where nothing is to be fenced.")
			.doesNotContain("Consider defining a bean");
	}

	@Test
	void fencedTemplateThatMayBeMissingIsNoFailure() {
		try (ConfigurableApplicationContext context = start(AsksForTemplate.class, "--leader.fence.enabled=false")) {
			assertThat(context.getBean(String.class)).isEqualTo("none");
		}
	}

	@Test
	void fencedTemplateWithoutDataSourceIsExplained(CapturedOutput output) {
		assertThatStartFails(NeedsTemplate.class,
				"--spring.autoconfigure.exclude=org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration");
		assertThat(output).contains("FencedJdbcTemplate is needed, but there is no DataSource", "Add a DataSource");
	}

	@ParameterizedTest
	@ValueSource(classes = { JdbcTemplateAutoConfiguration.class, LeaderFenceAutoConfiguration.class })
	void fencedTemplateWithoutItsAutoConfigurationIsExplained(Class<?> excluded, CapturedOutput output) {
		assertThatStartFails(NeedsTemplate.class, "--spring.autoconfigure.exclude=" + excluded.getName());
		assertThat(output).contains("FencedJdbcTemplate is needed, but ", "Do not exclude " + excluded.getSimpleName());
	}

	@Test
	void fencedTemplateOfSeveralIsExplained(CapturedOutput output) {
		assertThatStartFails(SeveralTemplates.class);
		assertThat(output).contains(
				"FencedJdbcTemplate is needed, but none of the JdbcTemplate beans [one, two] is primary",
				"Mark one of them @Primary");
	}

	@Test
	void missingBeanOfAnotherLibraryIsNotAnalyzed(CapturedOutput output) {
		assertThatStartFails(NeedsSomethingElse.class);
		assertThat(output).contains("required a bean of type 'java.lang.Runnable'", "Consider defining a bean");
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

	static class OpenJob {

		@LeaderOnly("misplaced")
		public void work() {
		}

	}

	@EnableAutoConfiguration(exclude = LeaderAutoConfiguration.class)
	static class Without {

	}

	@EnableAutoConfiguration(exclude = LeaderAutoConfiguration.class)
	static class WithoutButAnnotated {

		@Bean
		OpenJob job() {
			return new OpenJob();
		}

	}

	@EnableAutoConfiguration(exclude = LeaderAutoConfiguration.class)
	static class WithoutButInjected {

		@Bean
		String asking(LeaderElections elections) {
			return elections.toString();
		}

	}

	@EnableAutoConfiguration(exclude = LeaderAutoConfiguration.class)
	static class WithoutButFenced extends NeedsTemplate {

	}

	@EnableAutoConfiguration
	static class NeedsTemplate {

		@Bean
		String asking(FencedJdbcTemplate template) {
			return template.toString();
		}

	}

	@EnableAutoConfiguration
	static class SeveralTemplates extends NeedsTemplate {

		@Bean
		JdbcTemplate one(DataSource dataSource) {
			return new JdbcTemplate(dataSource);
		}

		@Bean
		JdbcTemplate two(DataSource dataSource) {
			return new JdbcTemplate(dataSource);
		}

	}

	@EnableAutoConfiguration
	static class AsksForTemplate {

		@Bean
		String asking(ObjectProvider<FencedJdbcTemplate> template) {
			return (template.getIfAvailable() != null) ? "some" : "none";
		}

	}

	@EnableAutoConfiguration
	static class NeedsSomethingElse {

		@Bean
		String asking(Runnable something) {
			return something.toString();
		}

	}

}
