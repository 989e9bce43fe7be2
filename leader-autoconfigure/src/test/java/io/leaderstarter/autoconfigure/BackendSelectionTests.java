package io.leaderstarter.autoconfigure;

import java.time.Duration;

import javax.sql.DataSource;

import io.leaderstarter.TestContexts;
import io.leaderstarter.backend.jdbc.JdbcLeaseStoreFactory;
import io.leaderstarter.backend.local.LocalLeaseStoreFactory;
import io.leaderstarter.election.DefaultLeaderElections;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.LeaseStoreFactory;
import io.leaderstarter.election.spi.StoreIdentity;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Tests for {@link LeaseStoreSelector} and {@link JdbcLeaderAutoConfiguration}: which
 * store it is.
 */
class BackendSelectionTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withPropertyValues("spring.application.name=test")
		.withConfiguration(AutoConfigurations.of(LeaderAutoConfiguration.class, JdbcLeaderAutoConfiguration.class));

	@Test
	void withoutAnyTheMessageSaysWhatToAdd() {
		this.contextRunner.run(failed("Leader election has no backend: found no DataSource",
				"leader.backend=jdbc: add a DataSource", "spring-boot-starter-jdbc", "leader.backend=local"));
	}

	@Test
	void theOnlyDataSourceIsTaken() {
		this.contextRunner.withUserConfiguration(One.class).run((context) -> {
			assertThat(backend(context)).isEqualTo("jdbc");
			assertThat(hasLeases(context, "one")).isTrue();
		});
	}

	@Test
	void jdbcWithoutDataSourceSaysWhatToAdd() {
		this.contextRunner.withPropertyValues("leader.backend=jdbc")
			.run(failed("leader.backend is 'jdbc', which is not available. Available backends: local",
					"add a DataSource"));
	}

	@ParameterizedTest
	@CsvSource({ "leader.etcd.endpoints, io.etcd, io.etcd:jetcd-core",
			"leader.zookeeper.connect-string, org.apache.curator, org.apache.curator:curator-recipes" })
	void serversWithoutTheLibraryThatConnectsToThemAreRefused(String property, String missing, String library) {
		ApplicationContextRunner runner = this.contextRunner.withUserConfiguration(One.class)
			.withClassLoader(new FilteredClassLoader(missing))
			.withPropertyValues(property + "=localhost:1");
		runner.run(failed(property + " is set, but " + library + " is not on the class path", "Add " + library,
				"Remove " + property));
		runner.withPropertyValues("leader.backend=" + property.split("\\.")[1])
			.run(failed(property + " is set, but " + library + " is not on the class path", "Add " + library));
		runner.withPropertyValues("leader.backend=jdbc")
			.run((context) -> assertThat(backend(context)).isEqualTo("jdbc"));
	}

	@Test
	void earlierSpringBootIsNamed() {
		assertThatExceptionOfType(LeaderConfigurationException.class)
			.isThrownBy(() -> LeaseStoreSelector.requireSpringBoot("3.5.7"))
			.withMessageContaining("Spring Boot 3.5.7")
			.satisfies((ex) -> assertThat(ex.getAdvice()).containsExactly("Use Spring Boot 4.0 or later."));
		assertThatNoException().isThrownBy(() -> LeaseStoreSelector.requireSpringBoot("4.0.0"));
		assertThatNoException().isThrownBy(() -> LeaseStoreSelector.requireSpringBoot("10.1.0-M1"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "jdbc", "JDBC", " jdbc " })
	void nameIsReadGenerously(String name) {
		this.contextRunner.withUserConfiguration(One.class)
			.withPropertyValues("leader.backend=" + name)
			.run((context) -> assertThat(backend(context)).isEqualTo("jdbc"));
	}

	@Test
	void localIsTakenIfAskedForAndLeavesTheDatabaseAlone() {
		this.contextRunner.withUserConfiguration(One.class)
			.withPropertyValues("leader.backend=local")
			.run((context) -> {
				assertThat(backend(context)).isEqualTo("local");
				assertThat(hasLeases(context, "one")).isFalse();
			});
	}

	@Test
	void localIsTakenIfAskedForAmongSeveralDataSources() {
		this.contextRunner.withUserConfiguration(One.class, Other.class)
			.withPropertyValues("leader.backend=local")
			.run((context) -> assertThat(backend(context)).isEqualTo("local"));
	}

	@Test
	void severalDataSourcesAreTooManyWithoutAMark() {
		this.contextRunner.withUserConfiguration(One.class, Other.class)
			.run(failed("There are several DataSource beans, and none is marked for leader election",
					"@LeaderDataSource", "@Primary"));
	}

	@Test
	void primaryDataSourceIsTaken() {
		this.contextRunner.withUserConfiguration(One.class, PrimaryOther.class).run((context) -> {
			assertThat(hasLeases(context, "primary")).isTrue();
			assertThat(hasLeases(context, "one")).isFalse();
		});
	}

	@Test
	void leaderDataSourceWinsOverAllOthers() {
		this.contextRunner.withUserConfiguration(One.class, PrimaryOther.class, ForLeader.class).run((context) -> {
			assertThat(hasLeases(context, "forLeader")).isTrue();
			assertThat(hasLeases(context, "primary")).isFalse();
			assertThat(hasLeases(context, "one")).isFalse();
			assertThat(context.getBean(DataSource.class)).isSameAs(context.getBean("primary"));
		});
	}

	@Test
	void leaderDataSourceIsEnough() {
		this.contextRunner.withUserConfiguration(ForLeader.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(backend(context)).isEqualTo("jdbc");
			assertThat(hasLeases(context, "forLeader")).isTrue();
		});
	}

	@Test
	void usersOwnBackendIsFoundByItsName() {
		this.contextRunner.withBean("own", LeaseStoreFactory.class, OwnFactory::new)
			.run((context) -> assertThat(context).hasNotFailed());
		this.contextRunner.withUserConfiguration(One.class)
			.withBean("own", LeaseStoreFactory.class, OwnFactory::new)
			.withPropertyValues("leader.backend=own")
			.run((context) -> assertThat(hasLeases(context, "one")).isFalse());
	}

	@Test
	void twoBackendsAreTooMany() {
		this.contextRunner.withUserConfiguration(One.class)
			.withBean("own", LeaseStoreFactory.class, OwnFactory::new)
			.run(failed("several backends to choose from", "Set leader.backend=jdbc.", "Set leader.backend=own."));
	}

	@Test
	void jdbcBacksOffForTheUsersOwnFactory() {
		this.contextRunner.withUserConfiguration(One.class, Other.class, OwnJdbcFactory.class).run((context) -> {
			assertThat(context).hasSingleBean(JdbcLeaseStoreFactory.class);
			assertThat(hasLeases(context, "other")).isTrue();
		});
	}

	@Test
	void everythingBacksOffForTheUsersOwnStore() {
		LeaseStore own = new LocalLeaseStoreFactory().create(new StoreIdentity("test", "me", Duration.ofSeconds(15)));
		this.contextRunner.withBean(LeaseStore.class, () -> own)
			.run((context) -> assertThat(context.getBean(DefaultLeaderElections.class).store()).isSameAs(own));
	}

	private static ContextConsumer<AssertableApplicationContext> failed(String description, String... advice) {
		return (context) -> {
			assertThat(context).hasFailed();
			var analysis = new LeaderFailureAnalyzer().analyze(context.getStartupFailure());
			assertThat(analysis).isNotNull();
			assertThat(analysis.getDescription()).contains(description);
			assertThat(analysis.getAction()).contains(advice);
		};
	}

	private static String backend(AssertableApplicationContext context) {
		return context.getBean(DefaultLeaderElections.class).storeStatus().backend();
	}

	private static boolean hasLeases(AssertableApplicationContext context, String dataSource) {
		assertThatNoException().isThrownBy(() -> context.getBean(dataSource));
		Integer tables = new JdbcTemplate(context.getBean(dataSource, DataSource.class)).queryForObject(
				"select count(*) from information_schema.tables where lower(table_name) = 'leader_lease'",
				Integer.class);
		return tables != null && tables == 1;
	}

	private static DataSource h2() {
		return new DriverManagerDataSource(TestContexts.h2());
	}

	@Configuration(proxyBeanMethods = false)
	static class One {

		@Bean
		DataSource one() {
			return h2();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Other {

		@Bean
		DataSource other() {
			return h2();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class PrimaryOther {

		@Bean
		@Primary
		DataSource primary() {
			return h2();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ForLeader {

		@Bean(defaultCandidate = false)
		@LeaderDataSource
		DataSource forLeader() {
			return h2();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnJdbcFactory {

		@Bean
		JdbcLeaseStoreFactory ownFactory(DataSource other) {
			return new JdbcLeaseStoreFactory(() -> other, TestProperties.of(LeaderJdbcProperties.class)
				.toLeaseProperties(TestProperties.of(LeaderSchemaProperties.class)));
		}

	}

	static class OwnFactory implements LeaseStoreFactory {

		@Override
		public String name() {
			return "own";
		}

		@Override
		public Duration minimumTtl() {
			return Duration.ofSeconds(1);
		}

		@Override
		public LeaseStore create(StoreIdentity identity) {
			return new LocalLeaseStoreFactory().create(identity);
		}

	}

}
