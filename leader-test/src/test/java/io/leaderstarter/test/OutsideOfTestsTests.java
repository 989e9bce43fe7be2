package io.leaderstarter.test;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that an application which no test has started says so, as it never leads.
 */
class OutsideOfTestsTests {

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

	@ExtendWith(OutputCaptureExtension.class)
	static class RunTests {

		@Test
		void applicationThatNeverLeadsWarns(CapturedOutput output) {
			try (ConfigurableApplicationContext context = run()) {
				assertThat(context.isActive()).isTrue();
				assertThat(output).containsOnlyOnce("leader-test is on the class path of an application")
					.contains("never leads", "scope of tests", "leader.test.enabled=false");
			}
		}

		@Test
		void applicationThatIsToldSoDoesNotWarn(CapturedOutput output) {
			try (ConfigurableApplicationContext context = run("--leader.test.enabled=true")) {
				assertThat(context.getBeansOfType(ManualLeadership.class)).hasSize(1);
				assertThat(output).doesNotContain("leader-test is on the class path");
			}
		}

		@Test
		void applicationWithItsBackendDoesNotWarn(CapturedOutput output) {
			try (ConfigurableApplicationContext context = run("--leader.test.enabled=false")) {
				assertThat(context.getBeansOfType(ManualLeadership.class)).isEmpty();
				assertThat(output).doesNotContain("leader-test is on the class path");
			}
		}

		private static ConfigurableApplicationContext run(String... arguments) {
			return new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
				.properties("spring.application.name=outside", "spring.main.banner-mode=off", "leader.backend=local")
				.run(arguments);
		}

	}

	@ExtendWith(OutputCaptureExtension.class)
	@SpringBootTest(classes = Application.class, properties = "spring.application.name=within")
	static class WithinTests {

		@Test
		void testDoesNotWarn(CapturedOutput output) {
			assertThat(output).doesNotContain("leader-test is on the class path");
		}

	}

}
