package io.leaderstarter.aop;

import io.leaderstarter.LeaderOnly;
import io.leaderstarter.TestContexts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.support.AopUtils;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LeaderOnlyRegistrar}: proxies are made whatever the application says
 * about AOP.
 */
class LeaderOnlyProxyTests {

	private final ApplicationContextRunner contextRunner = TestContexts.local()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
		.withBean(Journal.class)
		.withBean(Job.class);

	@ParameterizedTest
	@ValueSource(strings = { "spring.aop.auto=true", "spring.aop.auto=false", "spring.aop.proxy-target-class=true",
			"spring.aop.proxy-target-class=false" })
	void callIsProtected(String property) {
		this.contextRunner.withPropertyValues(property).run((context) -> {
			Journal journal = context.getBean(Journal.class);
			context.getBean(Runnable.class).run();
			assertThat(journal.notes()).isEmpty();
			TestContexts.lead(context);
			context.getBean(Runnable.class).run();
			assertThat(journal.notes()).containsExactly("run");
		});
	}

	@Test
	void proxyIsASubclassUnlessTheApplicationWantsInterfaces() {
		this.contextRunner.run((context) -> assertThat(AopUtils.isCglibProxy(context.getBean(Job.class))).isTrue());
		this.contextRunner.withPropertyValues("spring.aop.proxy-target-class=false")
			.run((context) -> assertThat(AopUtils.isJdkDynamicProxy(context.getBean(Runnable.class))).isTrue());
	}

	@Test
	void annotationOnTheInterfaceWorksThroughAProxyOfIt() {
		TestContexts.local()
			.withBean(Journal.class)
			.withBean(AnnotatedInterfaceJob.class)
			.withPropertyValues("spring.aop.proxy-target-class=false")
			.run((context) -> {
				Journal journal = context.getBean(Journal.class);
				context.getBean(AnnotatedInterface.class).work();
				assertThat(journal.notes()).isEmpty();
				TestContexts.lead(context);
				context.getBean(AnnotatedInterface.class).work();
				assertThat(journal.entries()).singleElement()
					.extracting((entry) -> entry.roles().get(0))
					.isEqualTo("proxied");
			});
	}

	static class Job implements Runnable {

		private final Journal journal;

		Job(Journal journal) {
			this.journal = journal;
		}

		@Override
		@LeaderOnly("proxied")
		public void run() {
			this.journal.note("run");
		}

	}

	interface AnnotatedInterface {

		@LeaderOnly("proxied")
		void work();

	}

	static class AnnotatedInterfaceJob implements AnnotatedInterface {

		private final Journal journal;

		AnnotatedInterfaceJob(Journal journal) {
			this.journal = journal;
		}

		@Override
		public void work() {
			this.journal.note("work");
		}

	}

}
