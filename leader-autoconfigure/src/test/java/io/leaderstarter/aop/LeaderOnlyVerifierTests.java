package io.leaderstarter.aop;

import io.leaderstarter.LeaderOnly;
import io.leaderstarter.Otherwise;
import io.leaderstarter.TestContexts;
import io.leaderstarter.testsupport.PackagePrivateJob;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.PriorityOrdered;
import org.springframework.test.util.AopTestUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests for {@link LeaderOnlyVerifier}: what a proxy cannot protect keeps the application
 * from starting, as it would run on every node otherwise.
 */
class LeaderOnlyVerifierTests {

	private final ApplicationContextRunner contextRunner = TestContexts.local();

	@ParameterizedTest
	@CsvSource({ "FinalMethod,final", "PrivateMethod,private", "StaticMethod,static", "FinalInAnnotatedClass,final",
			"InheritedFinalMethod,final" })
	void methodThatAProxyCannotInterceptIsRefused(String type, String kind) throws Exception {
		Class<?> beanType = Class.forName(getClass().getName() + "$" + type);
		this.contextRunner.withBean("job", beanType)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOfSatisfying(LeaderOnlyException.class, (failure) -> {
					assertThat(failure).hasMessageContainingAll(".work", "it is " + kind,
							"no proxy intercepts its calls");
					assertThat(failure.getAdvice()).isEqualTo("Remove '%s'.".formatted(kind));
				}));
	}

	@ParameterizedTest
	@CsvSource({ "PrivateMethod,private", "StaticMethod,static", "NotInTheInterface,in no interface of the bean" })
	void methodThatIsNotInTheInterfaceOfAProxyIsRefused(String type, String reason) throws Exception {
		Class<?> beanType = Class.forName(getClass().getName() + "$" + type);
		this.contextRunner.withBean("job", beanType)
			.withPropertyValues("spring.aop.proxy-target-class=false")
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(LeaderOnlyException.class)
				.hasMessageContainingAll(".work", reason, "no proxy intercepts its calls"));
	}

	@Test
	void finalMethodIsProtectedThroughAnInterface() {
		this.contextRunner.withBean("job", FinalMethod.class)
			.withPropertyValues("spring.aop.proxy-target-class=false")
			.run((context) -> {
				assertThat(context.getBean(Job.class).work()).isNull();
				TestContexts.lead(context);
				assertThat(context.getBean(Job.class).work()).isTrue();
			});
	}

	@Test
	void finalClassIsProtectedThroughAnInterface() {
		this.contextRunner.withBean("job", FinalClass.class)
			.withPropertyValues("spring.aop.proxy-target-class=false")
			.run((context) -> assertThat(context.getBean(Job.class).work()).isNull());
	}

	@Test
	void finalClassIsRefused() {
		this.contextRunner.withBean("job", FinalClass.class)
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("'job'")
				.rootCause()
				.hasMessageContaining("final class"));
	}

	@Test
	void finalClassOfABeanThatIsCreatedLaterIsRefusedAtStart() {
		this.contextRunner
			.withBean("job", FinalClass.class, FinalClass::new, (definition) -> definition.setLazyInit(true))
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(LeaderOnlyException.class)
				.hasMessageContainingAll("FinalClass.work", "its class is final"));
	}

	@Test
	void finalMethodOfABeanThatIsCreatedLaterIsRefusedAtStart() {
		this.contextRunner
			.withBean("job", FinalMethod.class, FinalMethod::new, (definition) -> definition.setLazyInit(true))
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(LeaderOnlyException.class)
				.hasMessageContainingAll("FinalMethod.work", "it is final"));
	}

	@Test
	void beanThatHidesWhatItIsUntilItIsCreatedIsRefusedThen() {
		this.contextRunner.withUserConfiguration(LazyBehindInterface.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(catchThrowable(() -> context.getBean(Job.class))).rootCause()
				.isInstanceOf(LeaderOnlyException.class)
				.hasMessageContainingAll("FinalMethod.work", "it is final");
		});
	}

	@Test
	void beanThatIsCreatedTooEarlyIsRefused() {
		this.contextRunner.withBean("job", Plain.class)
			.withUserConfiguration(TooEarly.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOfSatisfying(LeaderOnlyException.class, (failure) -> {
					assertThat(failure).hasMessageContainingAll("Plain.work", "the bean 'job' is not proxied",
							"every node would run it");
					assertThat(failure.getAdvice()).contains("BeanPostProcessor", "a separate bean");
				}));
	}

	@Test
	void objectThatWasRegisteredReadyMadeIsRefused() {
		this.contextRunner.withInitializer((context) -> context.getBeanFactory().registerSingleton("job", new Plain()))
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(LeaderOnlyException.class)
				.hasMessageContaining("the bean 'job' is not proxied"));
	}

	@Test
	void packagePrivateMethodOfAnotherPackageIsRefused() {
		this.contextRunner.withBean("job", FromAnotherPackage.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOfSatisfying(LeaderOnlyException.class, (failure) -> {
					assertThat(failure).hasMessageContainingAll("PackagePrivateJob.work",
							"visible only in the package io.leaderstarter.testsupport",
							"no proxy intercepts its calls");
					assertThat(failure.getAdvice()).contains("protected");
				}));
	}

	@Test
	void packagePrivateMethodOfAnotherPackageIsRefusedAtStartIfItsBeanIsCreatedLater() {
		this.contextRunner
			.withBean("job", FromAnotherPackage.class, FromAnotherPackage::new,
					(definition) -> definition.setLazyInit(true))
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(LeaderOnlyException.class)
				.hasMessageContaining("visible only in the package io.leaderstarter.testsupport"));
	}

	@Test
	void packagePrivateMethodOfTheSamePackageIsProtected() {
		this.contextRunner.withBean(PackagePrivateJob.InSamePackage.class).run((context) -> {
			PackagePrivateJob job = context.getBean(PackagePrivateJob.class);
			PackagePrivateJob target = AopTestUtils.getUltimateTargetObject(job);
			PackagePrivateJob.call(job);
			assertThat(PackagePrivateJob.isDone(target)).isFalse();
			TestContexts.lead(context);
			PackagePrivateJob.call(job);
			assertThat(PackagePrivateJob.isDone(target)).isTrue();
		});
	}

	static class FromAnotherPackage extends PackagePrivateJob {

	}

	interface Job {

		Boolean work();

	}

	static class Plain {

		@LeaderOnly("verified")
		public void work() {
		}

	}

	static class FinalMethod implements Job {

		@Override
		@LeaderOnly(value = "verified", otherwise = Otherwise.SKIP)
		public final Boolean work() {
			return true;
		}

	}

	static class InheritedFinalMethod extends FinalMethod {

	}

	static final class FinalClass implements Job {

		@Override
		@LeaderOnly(value = "verified", otherwise = Otherwise.SKIP)
		public Boolean work() {
			return true;
		}

	}

	static class PrivateMethod implements Runnable {

		@Override
		public void run() {
			work();
		}

		@LeaderOnly("verified")
		private void work() {
		}

	}

	static class StaticMethod implements Runnable {

		@Override
		public void run() {
			work();
		}

		@LeaderOnly("verified")
		static void work() {
		}

	}

	static class NotInTheInterface implements Runnable {

		@Override
		public void run() {
			work();
		}

		@LeaderOnly("verified")
		public void work() {
		}

	}

	@LeaderOnly("verified")
	static class FinalInAnnotatedClass {

		public final void work() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LazyBehindInterface {

		@Bean
		@Lazy
		Job job() {
			return new FinalMethod();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TooEarly {

		@Bean
		static NeedsTheJob needsTheJob(Plain job) {
			return new NeedsTheJob();
		}

	}

	/**
	 * Comes before the auto-proxy creator.
	 */
	static class NeedsTheJob implements BeanPostProcessor, PriorityOrdered {

		@Override
		public int getOrder() {
			return 0;
		}

	}

}
