package io.leaderstarter.autoconfigure;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import javax.sql.DataSource;

import io.leaderstarter.ActiveTerm;
import io.leaderstarter.FenceBlockedEvent;
import io.leaderstarter.LeaderContext;
import io.leaderstarter.LeaderElection;
import io.leaderstarter.LeaderElections;
import io.leaderstarter.Leadership;
import io.leaderstarter.StaleLeaderException;
import io.leaderstarter.TestContexts;
import io.leaderstarter.actuate.LeaderHealthIndicator;
import io.leaderstarter.election.DefaultLeaderElections;
import io.leaderstarter.election.RoleStatus;
import io.leaderstarter.election.RoleElection;
import io.leaderstarter.election.spi.TermGate;
import io.leaderstarter.fencing.Fence;
import io.leaderstarter.fencing.FenceGate;
import io.leaderstarter.fencing.FencedTransactions;
import io.leaderstarter.fencing.Fences;
import io.leaderstarter.fencing.jdbc.FencingDataSource;
import io.leaderstarter.fencing.jdbc.FencedJdbcTemplate;
import io.leaderstarter.testsupport.JoinedRoles;
import io.leaderstarter.testsupport.MemoryDatabases;
import io.leaderstarter.testsupport.PostgresServer;
import io.leaderstarter.testsupport.TestTerm;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcClientAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.context.event.EventListener;
import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.SimpleTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LeaderFenceAutoConfiguration}.
 */
@ResourceLock(Resources.SYSTEM_OUT)
class LeaderFenceAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withInitializer(new JoinedRoles())
		.withPropertyValues("spring.application.name=test",
				"spring.datasource.url=" + MemoryDatabases.newH2().getUrl() + ";USER=sa")
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
				DataSourceTransactionManagerAutoConfiguration.class, JdbcTemplateAutoConfiguration.class,
				JdbcClientAutoConfiguration.class, JdbcLeaderAutoConfiguration.class, LeaderAutoConfiguration.class,
				LeaderFenceAutoConfiguration.class));

	@Test
	void databaseOfTheApplicationIsFenced() {
		this.contextRunner.run((context) -> {
			assertThat(context).hasNotFailed().hasSingleBean(FenceGate.class);
			assertThat(context.getBean(Fences.class).all()).extracting(Fence::name).containsExactly("dataSource");
			assertThat(context.getBean(JdbcTemplate.class).queryForList("select * from leader_fence")).isEmpty();
		});
	}

	/** What raises fences has few threads, and no role would begin without one. */
	@Test
	@Tag("verify")
	void listenerThatHangsKeepsNoTermFromBeginning() {
		DriverManagerDataSource database = PostgresServer.newDatabase();
		this.contextRunner
			.withPropertyValues("spring.datasource.url=" + database.getUrl(), "leader.lease.ttl=2s", "test.roles=duty")
			.withBean(HangingListener.class)
			.run((context) -> {
				TestContexts.lead(context, "duty");
				LeaderElection election = context.getBean(LeaderElections.class).election("duty");
				election.pause();
				HangingListener listener = context.getBean(HangingListener.class);
				try (Connection blocking = database.getConnection()) {
					TestContexts.await().until(() -> !election.isLeader());
					blocking.setAutoCommit(false);
					blocking.createStatement().execute("select * from leader_fence for update");
					election.resume();
					assertThat(listener.called.await(30, TimeUnit.SECONDS)).isTrue();
					blocking.rollback();
				}
				try {
					assertThat(listener.thread).startsWith("leader-events");
					TestContexts.await().until(election::isLeader);
				}
				finally {
					listener.mayEnd.countDown();
				}
			});
	}

	@Test
	void everyTransactionManagerIsAttachedToOnce() {
		this.contextRunner.withUserConfiguration(OwnTransactionManager.class).run((context) -> {
			ConfigurableTransactionManager manager = context.getBean(ConfigurableTransactionManager.class);
			assertThat(manager.getTransactionExecutionListeners()).hasSize(1);
			context.getBean(FencedTransactions.class).attach(manager, "manager");
			assertThat(manager.getTransactionExecutionListeners()).hasSize(1);
		});
	}

	@Test
	void injectingTemplatesStillGivesThePlainOnes() {
		this.contextRunner.run((context) -> {
			FencedJdbcTemplate fenced = context.getBean(FencedJdbcTemplate.class);
			JdbcTemplate plain = context.getBean(JdbcTemplate.class);
			assertThat(plain).isNotInstanceOf(FencedJdbcTemplate.class);
			assertThat(context.getBean(JdbcOperations.class)).isSameAs(plain);
			assertThat(context.getBean(NamedParameterJdbcTemplate.class).getJdbcOperations()).isSameAs(plain);
			assertThat(fenced.unfenced()).isSameAs(plain);
		});
	}

	@Test
	void fencesCanBeSwitchedOff() {
		this.contextRunner.withPropertyValues("leader.fence.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(Fences.class)
				.doesNotHaveBean(TermGate.class)
				.doesNotHaveBean(FencedJdbcTemplate.class));
	}

	@Test
	void withoutTransactionsThereAreNoFences() {
		this.contextRunner.withClassLoader(new FilteredClassLoader(ConfigurableTransactionManager.class))
			.run((context) -> assertThat(context).doesNotHaveBean(Fences.class));
	}

	@Test
	void wrappersAreNotFencedTwice() {
		this.contextRunner.withUserConfiguration(LazyDataSource.class).run((context) -> {
			Fences fences = context.getBean(Fences.class);
			assertThat(fences.all()).extracting(Fence::name).containsExactly("real");
		});
	}

	@Test
	void targetsOfARoutingDataSourceAreAllFenced() {
		this.contextRunner.withUserConfiguration(RoutingDataSource.class)
			.run((context) -> assertThat(context.getBean(Fences.class).all()).extracting(Fence::name)
				.containsExactlyInAnyOrder("routing.one", "routing.two"));
	}

	@Test
	void targetsOfARoutingDataSourceAreChosenTogether() {
		this.contextRunner.withUserConfiguration(RoutingDataSource.class)
			.withPropertyValues("leader.fence.data-sources=routing.one")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LeaderConfigurationException.class)
				.hasMessageContaining("all targets of a DataSource that routes must be named"));
	}

	@Test
	void targetThatIsReadOnlyCanBeLeftOut() {
		ApplicationContextRunner replicated = this.contextRunner.withUserConfiguration(ReplicatedDataSource.class);
		replicated.run((context) -> assertThat(context).getFailure()
			.rootCause()
			.hasMessageContaining("read-only")
			.hasMessageContaining("leader.fence.data-sources"));
		replicated.withPropertyValues("leader.fence.data-sources=routing.primary").run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(Fences.class).all()).extracting(Fence::name).containsExactly("routing.primary");
			assertThatStaleWriteIsRefused(context);
		});
		replicated
			.withPropertyValues("leader.fence.data-sources=routing.primary", "leader.roles.role.fences=routing.primary")
			.run(LeaderFenceAutoConfigurationTests::assertThatStaleWriteIsRefused);
	}

	@Test
	void targetThatCouldNotBePreparedIsNotTakenForTheOthers() {
		this.contextRunner.withUserConfiguration(ReplicatedDataSource.class)
			.withPropertyValues("leader.fence.required=false")
			.run((context) -> {
				assertThat(context.getBean(Fences.class).all()).extracting(Fence::name)
					.containsExactlyInAnyOrder("routing.primary", "routing.replica");
				assertThatStaleWriteIsRefused(context);
			});
	}

	private static void assertThatStaleWriteIsRefused(ApplicationContext context) {
		JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
		PlatformTransactionManager manager = context.getBean(PlatformTransactionManager.class);
		TransactionTemplate writing = new TransactionTemplate(manager);
		TransactionTemplate reading = new TransactionTemplate(manager);
		reading.setReadOnly(true);
		jdbc.execute("create table written (id int)");
		// The fence was not raised for this term.
		try (LeaderContext.Scope scope = LeaderContext.open(new TestTerm("role", 7))) {
			assertThat(scope).isNotNull();
			assertThatExceptionOfType(StaleLeaderException.class).isThrownBy(
					() -> writing.executeWithoutResult((status) -> jdbc.update("insert into written values (1)")));
			assertThat(
					reading.<List<Map<String, Object>>>execute((status) -> jdbc.queryForList("select id from written")))
				.isEmpty();
		}
	}

	@Test
	void termWhoseWriteIsRefusedByTheFenceEnds() {
		this.contextRunner.withPropertyValues("test.roles=duty", "leader.lease.ttl=1m").run((context) -> {
			TestContexts.lead(context, "duty");
			JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
			TransactionTemplate transaction = new TransactionTemplate(
					context.getBean(PlatformTransactionManager.class));
			RoleElection election = context.getBean(DefaultLeaderElections.class).election("duty");
			// As a successor would, of which this member was not notified.
			jdbc.update("update leader_fence set epoch = epoch + 1, term_id = 'successor'");
			assertThatExceptionOfType(StaleLeaderException.class)
				.isThrownBy(() -> election.runIfLeader(() -> transaction
					.executeWithoutResult((status) -> jdbc.queryForList("select 1 from leader_fence"))));
			assertThat(election.isLeader()).isFalse();
			assertThat(context.getBean(DefaultLeaderElections.class).status("duty").history())
				.extracting(RoleStatus.Change::reason)
				.contains("FENCE_REFUSED");
		});
	}

	@Test
	void fenceOfAnotherStoreTakesTheHealthDownAndBurnsNoEpoch() {
		this.contextRunner.withPropertyValues("test.roles=duty")
			.withConfiguration(AutoConfigurations.of(LeaderActuatorAutoConfiguration.class))
			.run((context) -> {
				TestContexts.lead(context, "duty");
				JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
				assertThat(health(context).getStatus()).isEqualTo(Status.UP);
				context.getBean(DefaultLeaderElections.class).stop();
				// The lease table was made anew, or is that of another installation.
				jdbc.update("delete from leader_lease");
				jdbc.update("update leader_store set uuid = 'another'");
				context.getBean(DefaultLeaderElections.class).start();
				context.getBean(DefaultLeaderElections.class).compete();
				TestContexts.await().until(() -> health(context).getStatus().equals(Status.DOWN));
				assertThat(health(context).getDetails().get("refused")).asInstanceOf(InstanceOfAssertFactories.MAP)
					.hasEntrySatisfying("duty",
							(why) -> assertThat(why).asString().contains("'dataSource'").contains("another"));
				assertThat(jdbc.queryForList("select epoch from leader_lease", Long.class))
					.allMatch((epoch) -> epoch == 0);
			});
	}

	@Test
	void localBackendLeavesTheFencesOfASharedDatabaseAlone() {
		ApplicationContextRunner shared = this.contextRunner.withPropertyValues("test.roles=duty",
				"leader.jdbc.poll-interval=50ms");
		ApplicationContextRunner local = shared.withPropertyValues("leader.backend=local");
		local.run((context) -> {
			TestContexts.lead(context, "duty");
			JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
			assertThat(jdbc.queryForList("select namespace from leader_fence", String.class))
				.containsExactly("local:test");
		});
		shared.run((context) -> {
			TestContexts.lead(context, "duty");
			assertThat(context.getBean(LeaderElections.class).election("duty").leadership()).get()
				.extracting(Leadership::epoch)
				.isEqualTo(1L);
		});
		local.run((context) -> {
			TestContexts.ready(context);
			DefaultLeaderElections elections = context.getBean(DefaultLeaderElections.class);
			TestContexts.await().until(() -> elections.storeStatus().refused().containsKey("duty"));
			assertThat(elections.storeStatus().refused().get("duty")).contains("elects in local");
			assertThat(elections.election("duty").isLeader()).isFalse();
		});
	}

	private static Health health(ApplicationContext context) {
		return context.getBean(LeaderHealthIndicator.class).health();
	}

	@Test
	void databasesAreChosenByName() {
		this.contextRunner.withUserConfiguration(TwoDataSources.class)
			.withPropertyValues("leader.fence.data-sources=second")
			.run((context) -> assertThat(context.getBean(Fences.class).all()).extracting(Fence::name)
				.containsExactly("second"));
	}

	@Test
	void unknownNameIsRefused() {
		this.contextRunner.withPropertyValues("leader.fence.data-sources=reports")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LeaderConfigurationException.class)
				.hasMessageContaining("leader.fence.data-sources")
				.hasMessageContaining("[dataSource]"));
		this.contextRunner.withPropertyValues("leader.roles.invoices.fences=reports")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("leader.roles.invoices.fences"));
	}

	@Test
	void statementsThatCommitByThemselvesAreCheckedIfTheDataSourceIsWrapped() {
		this.contextRunner.withPropertyValues("leader.fence.wrap-data-sources=true").run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(DataSource.class)).isInstanceOf(FencingDataSource.class);
			assertThat(context.getBean(Fences.class).all()).extracting(Fence::name).containsExactly("dataSource");
			JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
			FencedJdbcTemplate fenced = context.getBean(FencedJdbcTemplate.class);
			TransactionTemplate transaction = new TransactionTemplate(
					context.getBean(PlatformTransactionManager.class));
			jdbc.execute("create table written (id int)");
			// The fence was not raised for this term.
			ActiveTerm stale = new TestTerm("role", 7);
			try (LeaderContext.Scope scope = LeaderContext.open(stale)) {
				assertThat(scope).isNotNull();
				assertThatExceptionOfType(StaleLeaderException.class)
					.isThrownBy(() -> jdbc.update("insert into written values (1)"));
				assertThatExceptionOfType(StaleLeaderException.class)
					.isThrownBy(() -> fenced.update("insert into written values (2)"));
				assertThatExceptionOfType(StaleLeaderException.class).isThrownBy(() -> transaction
					.executeWithoutResult((status) -> jdbc.update("insert into written values (3)")));
			}
			assertThat(jdbc.queryForList("select id from written")).isEmpty();
			jdbc.update("insert into written values (4)");
			transaction.executeWithoutResult((status) -> jdbc.update("insert into written values (5)"));
			assertThat(jdbc.queryForList("select id from written")).hasSize(2);
		});
	}

	@Test
	void wrapperOfADataSourceThatIsNoBeanIsWrapped() {
		this.contextRunner
			.withPropertyValues("leader.fence.wrap-data-sources=true", "spring.datasource.connection-fetch=lazy")
			.run((context) -> assertThat(context.getBean(DataSource.class)).isInstanceOf(FencingDataSource.class));
		this.contextRunner.withUserConfiguration(LazyDataSource.class)
			.withPropertyValues("leader.fence.wrap-data-sources=true")
			.run((context) -> {
				assertThat(context.getBean("real")).isInstanceOf(FencingDataSource.class);
				assertThat(context.getBean("lazy")).isInstanceOf(LazyConnectionDataSourceProxy.class);
			});
	}

	@Test
	void connectionsOfAWrappedDataSourceAreIndependent() {
		this.contextRunner.withPropertyValues("leader.fence.wrap-data-sources=true").run((context) -> {
			DataSource dataSource = context.getBean(DataSource.class);
			JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
			jdbc.execute("create table written (id int)");
			TransactionTemplate transaction = new TransactionTemplate(
					context.getBean(PlatformTransactionManager.class));
			transaction.executeWithoutResult((status) -> {
				try (Connection one = dataSource.getConnection(); Connection two = dataSource.getConnection()) {
					one.setAutoCommit(false);
					one.createStatement().executeUpdate("insert into written values (1)");
					two.createStatement().executeUpdate("insert into written values (2)");
					one.rollback();
				}
				catch (SQLException ex) {
					throw new IllegalStateException(ex);
				}
				status.setRollbackOnly();
			});
			assertThat(jdbc.queryForList("select id from written", Integer.class)).containsExactly(2);
		});
	}

	@Test
	void dataSourceThatIsNotFencedIsNotWrapped() {
		this.contextRunner.withUserConfiguration(TwoDataSources.class)
			.withPropertyValues("leader.fence.wrap-data-sources=true", "leader.fence.data-sources=second")
			.run((context) -> {
				assertThat(context.getBean("first")).isNotInstanceOf(FencingDataSource.class);
				assertThat(context.getBean("second")).isInstanceOf(FencingDataSource.class);
			});
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void managerWithoutListenersIsWarnedAbout(CapturedOutput output) {
		this.contextRunner.withUserConfiguration(OldTransactionManager.class)
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).contains("Transactions of 'old' cannot be checked");
	}

	@Test
	void missingTableNamesTheScriptAndTheProperty() {
		this.contextRunner
			.withPropertyValues("leader.backend=local", "leader.schema.initialize=never",
					"leader.schema.table-prefix=other_")
			.run((context) -> assertThat(context).getFailure().rootCause().hasMessageContaining("OTHER_FENCE"));
	}

	@Configuration(proxyBeanMethods = false)
	static class OwnTransactionManager {

		@Bean
		DataSourceTransactionManager mine(DataSource dataSource) {
			return new DataSourceTransactionManager(dataSource);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OldTransactionManager {

		@Bean
		PlatformTransactionManager old() {
			return new PlatformTransactionManager() {

				@Override
				public TransactionStatus getTransaction(TransactionDefinition definition) {
					return new SimpleTransactionStatus();
				}

				@Override
				public void commit(TransactionStatus status) {
				}

				@Override
				public void rollback(TransactionStatus status) {
				}

			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LazyDataSource {

		@Bean
		DataSource real() {
			return MemoryDatabases.newH2();
		}

		@Bean
		@Primary
		DataSource lazy(@Qualifier("real") DataSource real) {
			return new LazyConnectionDataSourceProxy(real);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class RoutingDataSource {

		@Bean
		DataSource routing() {
			AbstractRoutingDataSource routing = new AbstractRoutingDataSource() {

				@Override
				protected Object determineCurrentLookupKey() {
					return "one";
				}

			};
			routing.setTargetDataSources(Map.of("one", MemoryDatabases.newH2(), "two", MemoryDatabases.newH2()));
			return routing;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ReplicatedDataSource {

		@Bean
		DataSource routing() {
			DriverManagerDataSource primary = PostgresServer.newDatabase();
			AbstractRoutingDataSource routing = new AbstractRoutingDataSource() {

				@Override
				protected Object determineCurrentLookupKey() {
					return TransactionSynchronizationManager.isCurrentTransactionReadOnly() ? "replica" : "primary";
				}

			};
			routing.setTargetDataSources(
					Map.of("primary", primary, "replica", PostgresServer.with(primary, "readOnly=true")));
			routing.afterPropertiesSet();
			// It is known whether a transaction reads only when it asks for a connection.
			return new LazyConnectionDataSourceProxy(routing);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoDataSources {

		@Bean
		@Primary
		DataSource first() {
			return MemoryDatabases.newH2();
		}

		@Bean
		DataSource second() {
			return MemoryDatabases.newH2();
		}

	}

	static class HangingListener {

		private final CountDownLatch called = new CountDownLatch(1);

		private volatile String thread = "";

		private final CountDownLatch mayEnd = new CountDownLatch(1);

		@EventListener
		void blocked(FenceBlockedEvent event) throws InterruptedException {
			this.thread = Thread.currentThread().getName();
			this.called.countDown();
			this.mayEnd.await(60, TimeUnit.SECONDS);
		}

	}

}
