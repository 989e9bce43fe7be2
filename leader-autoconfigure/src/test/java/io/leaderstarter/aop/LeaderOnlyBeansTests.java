package io.leaderstarter.aop;

import java.util.List;

import io.leaderstarter.LeaderElection;
import io.leaderstarter.LeaderElections;
import io.leaderstarter.LeaderOnly;
import io.leaderstarter.TestContexts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.FilterType;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.support.SimpleThreadScope;
import org.springframework.stereotype.Component;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that {@code @LeaderOnly} works on beans of every kind.
 */
class LeaderOnlyBeansTests {

	private final ApplicationContextRunner contextRunner = TestContexts.local()
		.withBean(Journal.class)
		.withInitializer((context) -> context.getBeanFactory().registerScope("thread", new SimpleThreadScope()));

	@ParameterizedTest
	@ValueSource(classes = { FromBeanMethod.class, BehindInterface.class, LazyBean.class, LazyBehindInterface.class,
			PrototypeBean.class, ThreadBean.class, ScopedProxy.class, ScopedInterfaceProxy.class, Imported.class,
			Scanned.class, FromFactoryBean.class, FromVagueFactoryBean.class, FromPrototypeFactoryBean.class })
	void runsOnTheLeaderOnly(Class<?> configuration) {
		this.contextRunner.withUserConfiguration(configuration).run((context) -> {
			Journal journal = context.getBean(Journal.class);
			context.getBean(Job.class).work();
			assertThat(journal.notes()).as("before this member leads").isEmpty();
			TestContexts.lead(context, "beans");
			context.getBean(Job.class).work();
			assertThat(journal.entries()).singleElement().extracting(Journal.Entry::roles).isEqualTo(List.of("beans"));
		});
	}

	@ParameterizedTest
	@ValueSource(classes = { FromBeanMethod.class, LazyBean.class, PrototypeBean.class, ThreadBean.class,
			ScopedProxy.class, FromFactoryBean.class })
	void joinsTheRoleAtStart(Class<?> configuration) {
		this.contextRunner.withUserConfiguration(configuration)
			.run((context) -> assertThat(context.getBean(LeaderElections.class).all()).extracting(LeaderElection::role)
				.containsExactly("beans"));
	}

	@Test
	void configurationClassCanHaveSuchMethodsItself() {
		this.contextRunner.withUserConfiguration(ConfigurationItself.class).run((context) -> {
			assertThat(AopUtils.isAopProxy(context.getBean(ConfigurationItself.class))).isTrue();
			context.getBean(ConfigurationItself.class).work();
			assertThat(context.getBean(Journal.class).notes()).isEmpty();
			TestContexts.lead(context);
			context.getBean(ConfigurationItself.class).work();
			assertThat(context.getBean(Journal.class).notes()).hasSize(1);
		});
	}

	@Test
	void beansWithoutTheAnnotationAreNotProxied() {
		this.contextRunner.run((context) -> assertThat(AopUtils.isAopProxy(context.getBean(Journal.class))).isFalse());
	}

	interface Job {

		void work();

	}

	static class JobBean implements Job {

		private final Journal journal;

		JobBean(Journal journal) {
			this.journal = journal;
		}

		@Override
		@LeaderOnly("beans")
		public void work() {
			this.journal.note("work");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class FromBeanMethod {

		@Bean
		JobBean job(Journal journal) {
			return new JobBean(journal);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class BehindInterface {

		@Bean
		Job job(Journal journal) {
			return new JobBean(journal);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LazyBean {

		@Bean
		@Lazy
		JobBean job(Journal journal) {
			return new JobBean(journal);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LazyBehindInterface {

		@Bean
		@Lazy
		Job job(Journal journal) {
			return new JobBean(journal);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class PrototypeBean {

		@Bean
		@Scope("prototype")
		JobBean job(Journal journal) {
			return new JobBean(journal);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ThreadBean {

		@Bean
		@Scope("thread")
		JobBean job(Journal journal) {
			return new JobBean(journal);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ScopedProxy {

		@Bean
		@Scope(scopeName = "thread", proxyMode = ScopedProxyMode.TARGET_CLASS)
		JobBean job(Journal journal) {
			return new JobBean(journal);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ScopedInterfaceProxy {

		@Bean
		@Scope(scopeName = "thread", proxyMode = ScopedProxyMode.INTERFACES)
		JobBean job(Journal journal) {
			return new JobBean(journal);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(JobBean.class)
	static class Imported {

	}

	@Configuration(proxyBeanMethods = false)
	@ComponentScan(basePackageClasses = LeaderOnlyBeansTests.class, useDefaultFilters = false,
			includeFilters = @ComponentScan.Filter(type = FilterType.ASSIGNABLE_TYPE, classes = ScannedJob.class))
	static class Scanned {

	}

	@Component
	static class ScannedJob extends JobBean {

		ScannedJob(Journal journal) {
			super(journal);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class FromFactoryBean {

		@Bean
		FactoryBean<JobBean> job(Journal journal) {
			return new JobFactoryBean(journal, JobBean.class, true);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class FromVagueFactoryBean {

		@Bean
		FactoryBean<?> job(Journal journal) {
			return new JobFactoryBean(journal, Job.class, true);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class FromPrototypeFactoryBean {

		@Bean
		FactoryBean<JobBean> job(Journal journal) {
			return new JobFactoryBean(journal, JobBean.class, false);
		}

	}

	record JobFactoryBean(Journal journal, Class<?> type, boolean singleton) implements FactoryBean<JobBean> {

		@Override
		public JobBean getObject() {
			return new JobBean(this.journal);
		}

		@Override
		public Class<?> getObjectType() {
			return this.type;
		}

		@Override
		public boolean isSingleton() {
			return this.singleton;
		}

	}

	@Configuration
	static class ConfigurationItself {

		private final Journal journal;

		ConfigurationItself(Journal journal) {
			this.journal = journal;
		}

		@LeaderOnly("beans")
		void work() {
			this.journal.note("work");
		}

	}

}
