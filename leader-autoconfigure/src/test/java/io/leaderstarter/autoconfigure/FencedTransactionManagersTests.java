package io.leaderstarter.autoconfigure;

import java.util.List;
import java.util.function.Consumer;

import javax.sql.DataSource;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.leaderstarter.LeaderContext;
import io.leaderstarter.StaleLeaderException;
import io.leaderstarter.TestContexts;
import io.leaderstarter.fencing.Fence;
import io.leaderstarter.fencing.FencedTransactions;
import io.leaderstarter.fencing.Fences;
import io.leaderstarter.fencing.jdbc.FencingDataSource;
import io.leaderstarter.testsupport.MemoryDatabases;
import io.leaderstarter.testsupport.TestTerm;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link FencedTransactionManagers} and {@link FencingDataSourceWrapper}: no
 * manager and no {@code DataSource} is left out, however early it is created and
 * whichever context it belongs to.
 */
class FencedTransactionManagersTests {

	/**
	 * Logs for each bean that is created that early that other post-processors miss it.
	 */
	private static final Logger checker = (Logger) LoggerFactory
		.getLogger("org.springframework.context.support.PostProcessorRegistrationDelegate$BeanPostProcessorChecker");

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withPropertyValues("spring.application.name=test", "spring.datasource.url=" + TestContexts.h2())
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
				DataSourceTransactionManagerAutoConfiguration.class, JdbcLeaderAutoConfiguration.class,
				LeaderAutoConfiguration.class, LeaderFenceAutoConfiguration.class));

	@BeforeEach
	void expectWhatSpringSays() {
		checker.setLevel(Level.ERROR);
	}

	@AfterEach
	void listenToSpringAgain() {
		checker.setLevel(null);
	}

	@Test
	void managerThatAnotherPostProcessorNeedsIsFenced() {
		this.contextRunner.withUserConfiguration(NeedsManagerEarly.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertStaleWriteIsRefused(context, context.getBean(DataSource.class),
					context.getBean(PlatformTransactionManager.class));
		});
	}

	@Test
	void managerThatIsCreatedBeforeAnyPostProcessorIsFenced() {
		this.contextRunner.withUserConfiguration(NeedsManagerFirst.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertStaleWriteIsRefused(context, context.getBean(DataSource.class),
					context.getBean(PlatformTransactionManager.class));
		});
	}

	@Test
	void managerThatIsRegisteredAsItIsIsFenced() {
		DataSource database = MemoryDatabases.newH2();
		JdbcTransactionManager manager = new JdbcTransactionManager(database);
		this.contextRunner.withInitializer((context) -> {
			context.getBeanFactory().registerSingleton("dataSource", database);
			context.getBeanFactory().registerSingleton("transactionManager", manager);
		}).run((context) -> {
			assertThat(context).hasNotFailed();
			assertStaleWriteIsRefused(context, database, manager);
		});
	}

	@Test
	void databaseAndManagerOfAParentContextAreFenced() {
		withParent((parent) -> this.contextRunner.withParent(parent).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(Fences.class).all()).extracting(Fence::name).containsExactly("dataSource");
			assertStaleWriteIsRefused(context, parent.getBean(DataSource.class),
					parent.getBean(PlatformTransactionManager.class));
		}));
	}

	@Test
	void databaseOfAParentContextThatIsHiddenByItsNameIsFenced() {
		withParent((parent) -> this.contextRunner.withParent(parent)
			.withBean("dataSource", DataSource.class, MemoryDatabases::newH2)
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(context.getBean(Fences.class).all()).extracting(Fence::name)
					.containsExactly("dataSource", "parent.dataSource");
				assertStaleWriteIsRefused(context, parent.getBean(DataSource.class),
						parent.getBean(PlatformTransactionManager.class));
			}));
	}

	@Test
	void dataSourceThatAnotherPostProcessorNeedsIsWrapped() {
		this.contextRunner.withUserConfiguration(NeedsManagerEarly.class)
			.withPropertyValues("leader.fence.wrap-data-sources=true")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				DataSource dataSource = context.getBean(DataSource.class);
				assertThat(dataSource).isInstanceOf(FencingDataSource.class);
				assertThat(context.getBean(DataSourceTransactionManager.class).getDataSource()).isSameAs(dataSource);
			});
	}

	@Test
	void dataSourceThatIsCreatedTooEarlyToBeWrappedIsRefused() {
		this.contextRunner.withUserConfiguration(NeedsManagerFirst.class)
			.withPropertyValues("leader.fence.wrap-data-sources=true")
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(LeaderConfigurationException.class)
				.hasMessageContaining("leader.fence.wrap-data-sources is true")
				.hasMessageContaining("'dataSource'")
				.hasMessageContaining("created before"));
	}

	@Test
	void dataSourceOfAParentContextThatCannotBeWrappedIsRefused() {
		withParent((parent) -> this.contextRunner.withParent(parent)
			.withPropertyValues("leader.fence.wrap-data-sources=true")
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(LeaderConfigurationException.class)
				.hasMessageContaining("'dataSource'")
				.hasMessageContaining("parent context")));
	}

	@Test
	void managerWhoseDatabaseIsNotKnownIsWarnedAboutOnce() {
		this.contextRunner
			.run((context) -> assertThat(complaints(context, new JdbcTransactionManager(MemoryDatabases.newH2())))
				.singleElement()
				.asString()
				.contains("A transaction of 'mine' in a call of the role 'duty' was not checked")
				.contains("[dataSource]"));
	}

	@Test
	void managerWhoseDatabaseIsLeftOutOnPurposeIsNotWarnedAbout() {
		DataSource other = MemoryDatabases.newH2();
		this.contextRunner.withBean("first", DataSource.class, MemoryDatabases::newH2, (bean) -> bean.setPrimary(true))
			.withBean("other", DataSource.class, () -> other)
			.withPropertyValues("leader.fence.data-sources=first")
			.run((context) -> assertThat(complaints(context, new JdbcTransactionManager(other))).isEmpty());
	}

	/** Return what is logged when two transactions of a manager commit in a call. */
	private static List<String> complaints(ApplicationContext context, JdbcTransactionManager manager) {
		context.getBean(FencedTransactions.class).attach(manager, "mine");
		Logger logger = (Logger) LoggerFactory.getLogger(FencedTransactions.class);
		ListAppender<ILoggingEvent> appender = new ListAppender<>();
		appender.start();
		logger.setAdditive(false);
		logger.addAppender(appender);
		try (LeaderContext.Scope scope = LeaderContext.open(new TestTerm("duty", 7))) {
			assertThat(scope).isNotNull();
			new TransactionTemplate(manager).executeWithoutResult((status) -> {
			});
			new TransactionTemplate(manager).executeWithoutResult((status) -> {
			});
		}
		finally {
			logger.detachAppender(appender);
			logger.setAdditive(true);
		}
		return appender.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
	}

	private static void assertStaleWriteIsRefused(ApplicationContext context, DataSource database,
			PlatformTransactionManager manager) {
		JdbcTemplate jdbc = new JdbcTemplate(database);
		jdbc.execute("create table written (id int)");
		TransactionTemplate transaction = new TransactionTemplate(manager);
		// The fence was not raised for this term.
		try (LeaderContext.Scope scope = LeaderContext.open(new TestTerm("duty", 7))) {
			assertThat(scope).isNotNull();
			assertThatExceptionOfType(StaleLeaderException.class).isThrownBy(
					() -> transaction.executeWithoutResult((status) -> jdbc.update("insert into written values (1)")));
		}
		assertThat(jdbc.queryForList("select id from written")).isEmpty();
		assertThat(context.getBean(Fences.class).all()).isNotEmpty();
	}

	private static void withParent(Consumer<ApplicationContext> work) {
		new ApplicationContextRunner().withUserConfiguration(Database.class).run(work::accept);
	}

	@Configuration(proxyBeanMethods = false)
	static class Database {

		@Bean
		DataSource dataSource() {
			return MemoryDatabases.newH2();
		}

		@Bean
		JdbcTransactionManager parentManager(DataSource dataSource) {
			return new JdbcTransactionManager(dataSource);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class NeedsManagerEarly {

		@Bean
		static BeanPostProcessor early(PlatformTransactionManager manager) {
			assertThat(manager).isNotNull();
			return new BeanPostProcessor() {
			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class NeedsManagerFirst {

		@Bean
		static BeanFactoryPostProcessor first(PlatformTransactionManager manager) {
			assertThat(manager).isNotNull();
			return (beanFactory) -> {
			};
		}

	}

}
