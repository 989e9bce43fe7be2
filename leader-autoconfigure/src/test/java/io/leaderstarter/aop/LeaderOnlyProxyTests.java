package io.leaderstarter.aop;

import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;

import io.leaderstarter.LeaderOnly;
import io.leaderstarter.TestContexts;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.Ordered;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

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

	@ParameterizedTest
	@ValueSource(classes = { OwnProxy.class, LazyOwnProxy.class, ProductOfAFactory.class, NeededProductOfAFactory.class,
			Lambda.class, OwnSpringProxy.class, LazyOwnSpringProxy.class })
	void annotationOnTheInterfaceWorksThroughImplementationsAtRuntime(Class<?> configuration) {
		TestContexts.local()
			.withBean(Journal.class)
			.withUserConfiguration(configuration)
			.withPropertyValues("test.roles=proxied")
			.run((context) -> {
				assertThat(context).hasNotFailed();
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

	@Test
	void resultsOfTheInterfaceAreKnownThoughTheClassBehindItIsNot() {
		TestContexts.local()
			.withBean(Journal.class)
			.withUserConfiguration(OwnProxy.class)
			.run((context) -> assertThat(context.getBean(AnnotatedInterface.class).workLater())
				.isCompletedWithValue(null));
	}

	/** Another post-processor replaces the proxy by an object of its own. */
	@Test
	void proxyThatIsNotAdvisedIsRefusedWhenItIsCreated() {
		TestContexts.local()
			.withBean(Journal.class)
			.withUserConfiguration(LazyOwnProxy.class, Replacing.class)
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(catchThrowable(() -> context.getBean(AnnotatedInterface.class))).rootCause()
					.isInstanceOf(LeaderOnlyException.class)
					.hasMessageContaining("the bean 'work' is not proxied");
			});
	}

	@Test
	void methodThatTheProxyOfABeanLacksIsRefusedForThatReason() {
		TestContexts.local()
			.withBean(Journal.class)
			.withUserConfiguration(ProxyThatLacksTheMethod.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(LeaderOnlyException.class)
				.hasMessageContaining("whose JDK proxy has only the methods of interfaces"));
	}

	@Test
	void proxyOfTheApplicationThatHidesTheAnnotationIsRefused() {
		TestContexts.local()
			.withUserConfiguration(ProxyThatHidesTheAnnotation.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOfSatisfying(LeaderOnlyException.class, (failure) -> {
					assertThat(failure).hasMessageContaining("the bean 'work' is not proxied");
					assertThat(failure.getAdvice()).contains("annotate the method of its interface");
				}));
	}

	private static AnnotatedInterface madeAtRuntime(Journal journal) {
		return (AnnotatedInterface) Proxy.newProxyInstance(AnnotatedInterface.class.getClassLoader(),
				new Class<?>[] { AnnotatedInterface.class }, (proxy, method, arguments) -> {
					if (method.getName().equals("work")) {
						journal.note("work");
					}
					return null;
				});
	}

	@Configuration(proxyBeanMethods = false)
	static class OwnProxy {

		@Bean
		AnnotatedInterface work(Journal journal) {
			return madeAtRuntime(journal);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LazyOwnProxy {

		@Bean
		@Lazy
		AnnotatedInterface work(Journal journal) {
			return madeAtRuntime(journal);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LazyOwnSpringProxy {

		@Bean
		@Lazy
		AnnotatedInterface work(Journal journal) {
			return new OwnSpringProxy().work(journal);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ProxyThatLacksTheMethod {

		@Bean
		AnnotatedInterface work(Journal journal) {
			return (AnnotatedInterface) new ProxyFactory(new HiddenWork(journal)).getProxy();
		}

	}

	static class HiddenWork extends AnnotatedInterfaceJob {

		HiddenWork(Journal journal) {
			super(journal);
		}

		@LeaderOnly("proxied")
		public void more() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ProxyThatHidesTheAnnotation {

		@Bean
		Runnable work() {
			return (Runnable) new ProxyFactory(new Job(new Journal())).getProxy();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Replacing {

		@Bean
		static BeanPostProcessor replacing() {
			return new Replacement();
		}

	}

	static class Replacement implements BeanPostProcessor, Ordered {

		@Override
		public Object postProcessAfterInitialization(Object bean, String beanName) {
			if (!(bean instanceof AnnotatedInterface)) {
				return bean;
			}
			ProxyFactory factory = new ProxyFactory(new Class<?>[] { AnnotatedInterface.class });
			factory.setTarget(new Unrelated(new Journal()));
			return factory.getProxy();
		}

		@Override
		public int getOrder() {
			return LOWEST_PRECEDENCE;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Lambda {

		@Bean
		AnnotatedInterface work(Journal journal) {
			return () -> journal.note("work");
		}

	}

	/** As a repository of Spring Data is made: a proxy whose target is not the bean. */
	@Configuration(proxyBeanMethods = false)
	static class OwnSpringProxy {

		@Bean
		AnnotatedInterface work(Journal journal) {
			ProxyFactory factory = new ProxyFactory();
			factory.setInterfaces(AnnotatedInterface.class);
			factory.setTarget(new Unrelated(journal));
			factory.addAdvice((MethodInterceptor) (invocation) -> {
				if (invocation.getMethod().getName().equals("work")) {
					((Unrelated) invocation.getThis()).save();
					return null;
				}
				return invocation.proceed();
			});
			return (AnnotatedInterface) factory.getProxy();
		}

	}

	/** Another bean needs the product before it is verified. */
	@Configuration(proxyBeanMethods = false)
	static class NeededProductOfAFactory extends ProductOfAFactory {

		@Bean
		Object needsTheProduct(AnnotatedInterface product) {
			return new Object();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ProductOfAFactory {

		@Bean
		static AnnotatedInterfaceFactory work(ObjectProvider<Journal> journal) {
			return new AnnotatedInterfaceFactory(journal);
		}

	}

	static class AnnotatedInterfaceFactory implements FactoryBean<AnnotatedInterface> {

		private final ObjectProvider<Journal> journal;

		AnnotatedInterfaceFactory(ObjectProvider<Journal> journal) {
			this.journal = journal;
		}

		@Override
		public AnnotatedInterface getObject() {
			return madeAtRuntime(this.journal.getObject());
		}

		@Override
		public Class<?> getObjectType() {
			return AnnotatedInterface.class;
		}

	}

	static class Unrelated {

		private final Journal journal;

		Unrelated(Journal journal) {
			this.journal = journal;
		}

		void save() {
			this.journal.note("save");
		}

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

		@LeaderOnly("proxied")
		default CompletableFuture<Void> workLater() {
			return new CompletableFuture<>();
		}

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
