package io.leaderstarter.autoconfigure;

import java.util.UUID;

import io.leaderstarter.LeaderContext;
import io.leaderstarter.LeaderElection;
import io.leaderstarter.LeaderElections;
import io.leaderstarter.LeaderOnly;
import io.leaderstarter.StaleLeaderException;
import io.leaderstarter.TestContexts;
import io.leaderstarter.actuate.LeaderHealthIndicator;
import io.leaderstarter.election.DefaultLeaderElections;
import io.leaderstarter.fencing.jdbc.FencedJdbcTemplate;
import io.leaderstarter.testsupport.JoinedRoles;
import io.leaderstarter.testsupport.TestDatabase;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.fail;

/**
 * Tests that databases are fenced by the epochs of a store which is no database.
 */
abstract class FencedByStoreTests {

	static final String NAMESPACE = "fenced";

	static final String ROLE = "duty";

	private static final Runnable NOTHING = () -> {
	};

	/** What each test keeps its leases below. */
	final String place = "/fenced/" + UUID.randomUUID();

	private ApplicationContextRunner runner;

	private JdbcTemplate observer;

	/** How the application finds the store. */
	abstract String[] properties();

	/** Takes the role away from its leader, which is not notified at once. */
	abstract void depose() throws Exception;

	/** Makes a backup of the store, while no member runs. */
	abstract Object backup() throws Exception;

	/** Gives the store back what it knew once, while no member runs. */
	abstract void restore(Object backup) throws Exception;

	@ParameterizedTest
	@EnumSource
	void deposedMemberCannotCommit(TestDatabase kind) {
		use(kind);
		withTwoMembers((a, b) -> {
			Writer writer = a.getBean(Writer.class);
			assertThatExceptionOfType(StaleLeaderException.class)
				.isThrownBy(() -> writer.write(NOTHING, "stale", () -> succeed(a, b)));
			assertThatOnlyTheSuccessorWrites(b);
		});
	}

	@ParameterizedTest
	@EnumSource
	void deposedMemberCannotWriteByFencedJdbcTemplate(TestDatabase kind) {
		use(kind);
		withTwoMembers((a, b) -> {
			Writer writer = a.getBean(Writer.class);
			assertThatExceptionOfType(StaleLeaderException.class)
				.isThrownBy(() -> writer.writeFenced(() -> succeed(a, b), "stale"));
			assertThatOnlyTheSuccessorWrites(b);
		});
	}

	@ParameterizedTest
	@EnumSource(names = { "POSTGRESQL", "MARIADB" })
	void deposedMemberCannotWriteIntoAGuardedTable(TestDatabase kind) {
		use(kind, "leader.fence.guarded-tables=work");
		withTwoMembers((a, b) -> {
			Writer writer = a.getBean(Writer.class);
			assertThatExceptionOfType(DataAccessException.class)
				.isThrownBy(() -> writer.write(() -> succeed(a, b), "stale", () -> fail("The table took it")))
				.withMessageContaining("not that of the leader");
			assertThatOnlyTheSuccessorWrites(b);
		});
	}

	@ParameterizedTest
	@EnumSource
	void noMemberCompetesForARoleWhoseStoreWasRestoredFromABackup(TestDatabase kind) throws Exception {
		use(kind);
		lead();
		Object backup = backup();
		lead();
		assertThat(fence()).isEqualTo(2);
		restore(backup);
		start((context) -> {
			TestContexts.ready(context);
			DefaultLeaderElections elections = context.getBean(DefaultLeaderElections.class);
			awaitRefusal(elections);
			Health health = new LeaderHealthIndicator(elections, null).health();
			assertThat(health.getStatus()).isEqualTo(Status.DOWN);
			assertThat(health.getDetails()).hasEntrySatisfying("refused",
					(refused) -> assertThat(refused.toString()).contains(ROLE));
		});
		assertThat(fence()).isEqualTo(2);
	}

	final void use(TestDatabase kind, String... properties) {
		DriverManagerDataSource database = kind.make();
		this.observer = new JdbcTemplate(database);
		this.observer.execute("create table work (name varchar(20), epoch bigint)");
		this.runner = new ApplicationContextRunner().withInitializer(new JoinedRoles())
			.withPropertyValues("leader.namespace=" + NAMESPACE, "leader.lease.ttl=15s", "test.roles=" + ROLE,
					"spring.datasource.url=" + database.getUrl())
			.withPropertyValues(properties)
			.withConfiguration(AutoConfigurations.of(LeaderAutoConfiguration.class, EtcdLeaderAutoConfiguration.class,
					ZooKeeperLeaderAutoConfiguration.class, DataSourceAutoConfiguration.class,
					DataSourceTransactionManagerAutoConfiguration.class, JdbcTemplateAutoConfiguration.class,
					TransactionAutoConfiguration.class, LeaderFenceAutoConfiguration.class,
					LeaderOnlyAutoConfiguration.class))
			.withBean(Writer.class);
	}

	/** Leads for one term, and stops. */
	final void lead() {
		start((context) -> TestContexts.lead(context, ROLE));
	}

	/**
	 * The ttl is so long that a member that was deposed does not detect it.
	 */
	private void withTwoMembers(Members test) {
		this.runner = this.runner.withPropertyValues("leader.lease.ttl=5m");
		start((a) -> {
			TestContexts.lead(a, ROLE);
			a.getBean(Writer.class).write(NOTHING, "first", NOTHING);
			assertThat(fence()).isOne();
			start((b) -> {
				TestContexts.ready(b);
				DefaultLeaderElections elections = b.getBean(DefaultLeaderElections.class);
				TestContexts.await().until(() -> elections.status(ROLE).epoch() == 1);
				test.test(a, b);
			});
		});
	}

	final void start(Member member) {
		this.runner.withPropertyValues(properties())
			.withPropertyValues("leader.backend=" + backend())
			.run((context) -> {
				assertThat(context).hasNotFailed();
				member.run(context);
			});
	}

	private String backend() {
		return properties()[0].startsWith("leader.etcd") ? "etcd" : "zookeeper";
	}

	private void succeed(AssertableApplicationContext former, AssertableApplicationContext next) {
		try {
			depose();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
		TestContexts.await().until(() -> election(next).isLeader());
		assertThat(election(former).isLeader()).as("what the former leader believes").isTrue();
		assertThat(LeaderContext.isStillLeader()).isTrue();
	}

	private void assertThatOnlyTheSuccessorWrites(AssertableApplicationContext successor) {
		assertThat(fence()).isEqualTo(2);
		successor.getBean(Writer.class).write(NOTHING, "second", NOTHING);
		assertThat(this.observer.queryForList("select concat(name, epoch) from work order by epoch", String.class))
			.containsExactly("first1", "second2");
	}

	/** Return the epoch in the database. */
	final long fence() {
		return this.observer.queryForObject("select epoch from leader_fence where role = ?", Long.class, ROLE);
	}

	private static LeaderElection election(AssertableApplicationContext context) {
		return context.getBean(LeaderElections.class).election(ROLE);
	}

	/**
	 * Waits until a member does not compete for the role, as the database has a later
	 * epoch.
	 */
	static void awaitRefusal(DefaultLeaderElections elections) {
		TestContexts.await().until(() -> elections.storeStatus().refused().containsKey(ROLE));
		assertThat(elections.election(ROLE).isLeader()).isFalse();
	}

	@FunctionalInterface
	interface Member {

		void run(AssertableApplicationContext context) throws Exception;

	}

	@FunctionalInterface
	private interface Members {

		void test(AssertableApplicationContext a, AssertableApplicationContext b);

	}

	/** Writes under a term. */
	static class Writer {

		private final JdbcTemplate jdbc;

		private final FencedJdbcTemplate fenced;

		Writer(@Qualifier("jdbcTemplate") JdbcTemplate jdbc, FencedJdbcTemplate fenced) {
			this.jdbc = jdbc;
			this.fenced = fenced;
		}

		@LeaderOnly(ROLE)
		@Transactional
		public void write(Runnable before, String name, Runnable after) {
			before.run();
			this.jdbc.update("insert into work values (?, ?)", name, LeaderContext.epoch());
			after.run();
		}

		@LeaderOnly(ROLE)
		public void writeFenced(Runnable before, String name) {
			before.run();
			this.fenced.update("insert into work values (?, ?)", name, LeaderContext.epoch());
		}

	}

}
