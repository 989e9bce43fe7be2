package io.leaderstarter.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.leaderstarter.LeaderContext;
import io.leaderstarter.LeaderElections;
import io.leaderstarter.LeaderOnly;
import io.leaderstarter.Leadership;
import io.leaderstarter.StaleLeaderException;
import io.leaderstarter.TestContexts;
import io.leaderstarter.actuate.LeaderHealthIndicator;
import io.leaderstarter.election.DefaultLeaderElections;
import io.leaderstarter.fencing.FencedJdbcTemplate;
import io.leaderstarter.testsupport.TestDatabase;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.annotation.Transactional;

import static io.leaderstarter.TestContexts.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What must hold for a database that is fenced by the epochs of a store elsewhere. A
 * backend inherits it.
 */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
abstract class StoreFenceContractTests {

	protected static final String APPLICATION = "fenced";

	protected static final String ROLE = "duty";

	private final DriverManagerDataSource database = TestDatabase.POSTGRESQL.make();

	private final JdbcTemplate jdbc = new JdbcTemplate(this.database);

	private ApplicationContextRunner contextRunner;

	/** The auto-configuration of the backend. */
	protected abstract Class<?> autoConfiguration();

	/** Properties that lead to a place in the store that no other test knows. */
	protected abstract List<String> properties();

	/** Frees the role behind the back of its leader. */
	protected abstract void takeRoleAway() throws Exception;

	/** Makes the store forget the epochs, but not who it is. */
	protected abstract void forgetEpochs() throws Exception;

	/** Makes the store forget everything. */
	protected abstract void forgetAll() throws Exception;

	@BeforeEach
	void prepare() {
		this.jdbc.execute("create table work (name varchar(20), epoch bigint)");
		this.contextRunner = new ApplicationContextRunner()
			.withPropertyValues("spring.application.name=" + APPLICATION, "leader.lease.ttl=4s",
					"leader.roles." + ROLE + ".candidate=true", "spring.datasource.url=" + this.database.getUrl(),
					"spring.datasource.hikari.maximum-pool-size=2")
			.withPropertyValues(properties().toArray(String[]::new))
			.withConfiguration(AutoConfigurations.of(LeaderAutoConfiguration.class, autoConfiguration(),
					LeaderOnlyAutoConfiguration.class, LeaderFenceAutoConfiguration.class,
					FencedJdbcTemplateAutoConfiguration.class, DataSourceAutoConfiguration.class,
					DataSourceTransactionManagerAutoConfiguration.class, JdbcTemplateAutoConfiguration.class,
					TransactionAutoConfiguration.class))
			.withBean(Writer.class);
	}

	@Test
	void fenceIsRaisedWithTheEpochOfTheStore() {
		for (int epoch = 1; epoch <= 2; epoch++) {
			this.contextRunner.run((context) -> {
				TestContexts.lead(context, ROLE);
				context.getBean(Writer.class).write("work", Runnable::run);
				Leadership term = context.getBean(LeaderElections.class).election(ROLE).leadership().orElseThrow();
				assertThat(this.jdbc.queryForMap("select epoch, tenure from leader_fence"))
					.containsEntry("epoch", term.epoch())
					.containsEntry("tenure", term.tenure());
			});
		}
		assertThat(written()).containsExactly(1L, 2L);
	}

	@Test
	void transactionOfADeposedMemberIsNotCommitted() {
		outlived(Writer::write);
	}

	@Test
	void singleStatementOfADeposedMemberIsRefused() {
		outlived(Writer::writeAlone);
	}

	@Test
	void nobodyLeadsWhenTheStoreForgotItsEpochs() throws Exception {
		leadAndWrite();
		forgetEpochs();
		refused("The store of the leases has lost data");
	}

	@Test
	void nobodyLeadsWhenTheStoreIsAnother() throws Exception {
		leadAndWrite();
		forgetAll();
		refused("belongs to the election store");
	}

	/** A call that is under way while another member leads and writes. */
	private void outlived(Call call) {
		this.contextRunner.run((first) -> {
			TestContexts.lead(first, ROLE);
			CountDownLatch working = new CountDownLatch(1);
			CountDownLatch deposed = new CountDownLatch(1);
			CompletableFuture<Void> stale = CompletableFuture
				.runAsync(() -> call.call(first.getBean(Writer.class), "stale", (task) -> {
					working.countDown();
					awaitQuietly(deposed);
					task.run();
				}));
			working.await();
			this.contextRunner.run((second) -> {
				TestContexts.ready(second);
				takeRoleAway();
				await().until(() -> second.getBean(LeaderElections.class).election(ROLE).isLeader());
				second.getBean(Writer.class).write("fresh", Runnable::run);
				deposed.countDown();
				assertThatExceptionOfType(Exception.class).isThrownBy(() -> stale.get(20, TimeUnit.SECONDS))
					.withStackTraceContaining(StaleLeaderException.class.getName());
			});
		});
		assertThat(written()).containsExactly(2L);
	}

	private void leadAndWrite() {
		this.contextRunner.run((context) -> {
			TestContexts.lead(context, ROLE);
			context.getBean(Writer.class).write("before", Runnable::run);
		});
	}

	private void refused(String why) {
		this.contextRunner.run((context) -> {
			TestContexts.ready(context);
			DefaultLeaderElections elections = context.getBean(DefaultLeaderElections.class);
			await().until(() -> !elections.storeStatus().refused().isEmpty());
			assertThat(elections.storeStatus().refused().get(ROLE)).contains(why);
			assertThat(elections.election(ROLE).isLeader()).isFalse();
			Health health = health(context);
			assertThat(health.getStatus()).isEqualTo(Status.DOWN);
			assertThat(health.getDetails().get("refused").toString()).contains(why);
		});
		assertThat(written()).containsExactly(1L);
	}

	private static Health health(ApplicationContext context) {
		return new LeaderHealthIndicator(context.getBean(DefaultLeaderElections.class)).health();
	}

	private List<Long> written() {
		return new ArrayList<>(this.jdbc.queryForList("select epoch from work order by epoch", Long.class));
	}

	private static void awaitQuietly(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/** Writes, but may be held up before. */
	private interface Call {

		void call(Writer writer, String name, HoldUp holdUp);

	}

	/** Runs a task, sooner or later. */
	interface HoldUp {

		void run(Runnable task);

	}

	/** A duty that writes in two ways. */
	static class Writer {

		private final JdbcTemplate jdbc;

		private final FencedJdbcTemplate fenced;

		Writer(JdbcTemplate jdbc, FencedJdbcTemplate fenced) {
			this.jdbc = jdbc;
			this.fenced = fenced;
		}

		@LeaderOnly(ROLE)
		@Transactional
		public void write(String name, HoldUp holdUp) {
			holdUp.run(() -> insert(this.jdbc, name));
		}

		@LeaderOnly(ROLE)
		public void writeAlone(String name, HoldUp holdUp) {
			holdUp.run(() -> insert(this.fenced, name));
		}

		private static void insert(JdbcTemplate jdbc, String name) {
			jdbc.update("insert into work (name, epoch) values (?, ?)", name, LeaderContext.epoch());
		}

	}

}
