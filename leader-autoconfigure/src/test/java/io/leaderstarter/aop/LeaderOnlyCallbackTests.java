package io.leaderstarter.aop;

import java.util.Optional;

import io.leaderstarter.LeaderOnly;
import io.leaderstarter.TestContexts;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.annotation.Resource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.BeanNameAware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.EnvironmentAware;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that {@link LeaderOnlyVerifier} refuses methods that the container calls on the
 * bean directly, without its proxy: every node would run them.
 */
class LeaderOnlyCallbackTests {

	private final ApplicationContextRunner contextRunner = TestContexts.local();

	@ParameterizedTest
	@ValueSource(classes = { AnnotatedInit.class, AnnotatedDestroy.class, Initializing.class, Disposable.class,
			Closeable.class, Injected.class, InjectedByName.class, Aware.class, InheritedCallback.class })
	void callbackOfABeanIsRefused(Class<?> type) {
		this.contextRunner.withBean("job", type).run((context) -> assertRefused(context.getStartupFailure()));
	}

	@ParameterizedTest
	@ValueSource(classes = { AnnotatedInit.class, AnnotatedDestroy.class, Initializing.class, Disposable.class,
			Closeable.class })
	void callbackOfABeanThatIsCreatedLaterIsRefusedAtStart(Class<?> type) {
		this.contextRunner.withBean("job", type, null, (definition) -> definition.setLazyInit(true))
			.run((context) -> assertRefused(context.getStartupFailure()));
	}

	@ParameterizedTest
	@ValueSource(classes = { InitMethod.class, DestroyMethod.class, InferredClose.class, InferredShutdown.class,
			LazyInitMethod.class })
	void callbackThatADefinitionNamesIsRefused(Class<?> configuration) {
		this.contextRunner.withUserConfiguration(configuration)
			.run((context) -> assertRefused(context.getStartupFailure()));
	}

	@Test
	void callbackIsNotMeantByTheAnnotationOfTheClass() {
		this.contextRunner.withBean("job", AnnotatedClass.class).run((context) -> {
			assertThat(context).hasNotFailed();
			AnnotatedClass job = context.getBean(AnnotatedClass.class);
			assertThat(job.isPrepared()).isEmpty();
			TestContexts.lead(context);
			assertThat(job.isPrepared()).contains(true);
		});
	}

	@Test
	void methodThatTheContainerLeavesAloneIsNoCallback() {
		this.contextRunner.withUserConfiguration(NotClosed.class).run((context) -> assertThat(context).hasNotFailed());
	}

	private static void assertRefused(Throwable failure) {
		assertThat(failure).isInstanceOfSatisfying(LeaderOnlyException.class, (refusal) -> {
			assertThat(refusal).hasMessageContainingAll("the container calls it directly", "every node would run it");
			assertThat(refusal.getAdvice()).contains("LeaderElections.runExclusively");
		});
	}

	static class AnnotatedInit {

		@PostConstruct
		@LeaderOnly("callback")
		void work() {
		}

	}

	static class AnnotatedDestroy {

		@PreDestroy
		@LeaderOnly("callback")
		void work() {
		}

	}

	static class Initializing implements InitializingBean {

		@Override
		@LeaderOnly("callback")
		public void afterPropertiesSet() {
		}

	}

	static class Disposable implements DisposableBean {

		@Override
		@LeaderOnly("callback")
		public void destroy() {
		}

	}

	static class Closeable implements AutoCloseable {

		@Override
		@LeaderOnly("callback")
		public void close() {
		}

	}

	static class Injected {

		@Autowired
		@LeaderOnly("callback")
		void use(Environment environment) {
		}

	}

	static class InjectedByName {

		@Resource(name = "environment")
		@LeaderOnly("callback")
		void setEnvironment(Environment environment) {
		}

	}

	static class Aware implements EnvironmentAware, BeanNameAware {

		@Override
		public void setBeanName(String name) {
		}

		@Override
		@LeaderOnly("callback")
		public void setEnvironment(Environment environment) {
		}

	}

	static class InheritedCallback extends Initializing {

	}

	@LeaderOnly("callback")
	static class AnnotatedClass implements InitializingBean, AutoCloseable {

		private boolean prepared;

		@Override
		public void afterPropertiesSet() {
			this.prepared = true;
		}

		Optional<Boolean> isPrepared() {
			return Optional.of(this.prepared);
		}

		@Override
		public void close() {
		}

	}

	static class Named {

		@LeaderOnly("callback")
		public void work() {
		}

	}

	static class ClosedByName {

		@LeaderOnly("callback")
		public void close() {
		}

	}

	static class ShutDownByName {

		@LeaderOnly("callback")
		public void shutdown() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class InitMethod {

		@Bean(initMethod = "work")
		Named job() {
			return new Named();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LazyInitMethod {

		@Bean(initMethod = "work")
		@Lazy
		Named job() {
			return new Named();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class DestroyMethod {

		@Bean(destroyMethod = "work")
		Named job() {
			return new Named();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class InferredClose {

		@Bean
		ClosedByName job() {
			return new ClosedByName();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class InferredShutdown {

		@Bean
		ShutDownByName job() {
			return new ShutDownByName();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class NotClosed {

		@Bean(destroyMethod = "")
		ClosedByName job() {
			return new ClosedByName();
		}

	}

}
