package io.leaderstarter.autoconfigure;

import java.sql.SQLException;
import java.util.List;

import io.leaderstarter.LeaderOnly;
import io.leaderstarter.TestContexts;
import io.leaderstarter.fencing.jdbc.FencedJdbcTemplate;
import io.leaderstarter.fencing.trigger.FenceTriggers;
import io.leaderstarter.jdbc.JdbcDialects;
import io.leaderstarter.jdbc.LeaderSchemaException;
import io.leaderstarter.testsupport.MariaDbServer;
import io.leaderstarter.testsupport.MemoryDatabases;
import io.leaderstarter.testsupport.PostgresServer;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@code leader.fence.guarded-tables}.
 */
class GuardedTablesTests {

	private final DriverManagerDataSource postgres = PostgresServer.newDatabase();

	private final DriverManagerDataSource mariaDb = MariaDbServer.newDatabase();

	@Test
	void tablesAreGuardedWhenTheApplicationHasStarted() {
		create(this.postgres, "invoice");
		create(this.postgres, "\"Odd Name\"");
		one(this.postgres)
			.withPropertyValues("leader.fence.guarded-tables[0]=public.invoice",
					"leader.fence.guarded-tables[1]=\"Odd Name\"")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				refused(this.postgres, "invoice");
				refused(this.postgres, "\"Odd Name\"");
			});
	}

	@Test
	void eachTableIsGuardedInTheDatabasesThatHaveIt() {
		create(this.postgres, "invoice");
		create(this.postgres, "shared");
		create(this.mariaDb, "receipt");
		create(this.mariaDb, "shared");
		two(this.mariaDb).withPropertyValues("leader.fence.guarded-tables=invoice,receipt,shared").run((context) -> {
			assertThat(context).hasNotFailed();
			refused(this.postgres, "invoice");
			refused(this.postgres, "shared");
			refused(this.mariaDb, "receipt");
			refused(this.mariaDb, "shared");
		});
	}

	@Test
	void callsOfTheLeaderWriteAndOthersDoNot() {
		for (DriverManagerDataSource database : List.of(this.postgres, this.mariaDb)) {
			create(database, "invoice");
			one(database).withPropertyValues("leader.fence.guarded-tables=invoice")
				.withConfiguration(AutoConfigurations.of(DataSourceTransactionManagerAutoConfiguration.class,
						TransactionAutoConfiguration.class, JdbcTemplateAutoConfiguration.class))
				.withBean(Job.class)
				.run((context) -> {
					TestContexts.lead(context);
					Job job = context.getBean(Job.class);
					job.writeInTransaction();
					job.writeAlone();
					assertThat(new JdbcTemplate(database).queryForList("select id from invoice order by id",
							Integer.class))
						.containsExactly(1, 2, 3);
					refused(database, "invoice");
				});
		}
	}

	@Test
	void writerThatIsPausedDoesNotKeepTheRoleFromOthers() {
		// A write to a guarded table holds the lock of the fence long before the check,
		// and the transaction sends its terms in a statement anyway.
		for (DriverManagerDataSource database : List.of(this.postgres, this.mariaDb)) {
			create(database, "invoice");
			ApplicationContextRunner unguarded = one(database).withPropertyValues("leader.lease.ttl=9s")
				.withConfiguration(AutoConfigurations.of(DataSourceTransactionManagerAutoConfiguration.class,
						TransactionAutoConfiguration.class, JdbcTemplateAutoConfiguration.class))
				.withBean(Job.class);
			String query = (database == this.postgres) ? "show idle_in_transaction_session_timeout"
					: "select @@session.idle_transaction_timeout";
			unguarded.run((context) -> {
				TestContexts.lead(context);
				assertThat(context.getBean(Job.class).beginOfTransaction(query)).isEqualTo("0");
			});
			ApplicationContextRunner limited = unguarded.withPropertyValues("leader.fence.idle-timeout=7s");
			limited.run((context) -> {
				TestContexts.lead(context);
				assertThat(context.getBean(Job.class).beginOfTransaction(query)).startsWith("7");
			});
			ApplicationContextRunner guarded = unguarded.withPropertyValues("leader.fence.guarded-tables=invoice");
			guarded.run((context) -> {
				TestContexts.lead(context);
				assertThat(context.getBean(Job.class).beginOfTransaction(query)).startsWith("9");
			});
			guarded.withPropertyValues("leader.fence.idle-timeout=7s").run((context) -> {
				TestContexts.lead(context);
				assertThat(context.getBean(Job.class).beginOfTransaction(query)).startsWith("7");
			});
		}
	}

	@Test
	void migrationsCanDoItInstead() throws Exception {
		create(this.postgres, "invoice");
		one(this.postgres).run((context) -> assertThat(context).hasNotFailed());
		ApplicationContextRunner byMigration = one(this.postgres)
			.withPropertyValues("leader.fence.guarded-tables=invoice", "leader.schema.initialize=never");
		byMigration.run((context) -> assertThat(context).hasNotFailed());
		assertThat(new JdbcTemplate(this.postgres).update("insert into invoice values (1)")).isOne();
		new JdbcTemplate(this.postgres)
			.execute(new FenceTriggers(JdbcDialects.of("postgresql"), "leader_").installScript("invoice"));
		byMigration.run((context) -> assertThat(context).hasNotFailed());
		refused(this.postgres, "invoice");
		byMigration.withPropertyValues("leader.fence.guarded-tables=invoices").run(failsWith("[invoices]"));
	}

	@Test
	void tableThatIsNowhereStopsTheStart() {
		create(this.postgres, "invoice");
		two(this.mariaDb).withPropertyValues("leader.fence.guarded-tables=invoice,invoices")
			.run(failsWith("[invoices] that are to be guarded are in none of the fenced databases [first, second]"));
	}

	@Test
	void databaseThatCannotGuardStopsTheStart() {
		create(this.postgres, "invoice");
		DriverManagerDataSource h2 = MemoryDatabases.newH2();
		two(h2).withPropertyValues("leader.fence.guarded-tables=invoice")
			.run(failsWith("Tables in 'second' cannot be guarded: Only PostgreSQL, MySQL and MariaDB"));
		two(h2).withPropertyValues("leader.fence.guarded-tables=invoice", "leader.fence.data-sources=first")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void nameThatIsNoneStopsTheStart() {
		one(this.postgres).withPropertyValues("leader.fence.guarded-tables=in voice").run(failsWith("in voice"));
		one(this.mariaDb).withPropertyValues("leader.fence.guarded-tables=in voice").run(failsWith("in voice"));
	}

	@Test
	void messageNamesTheMigrationIfTheUserMayNotCreateTriggers() {
		create(this.postgres, "invoice");
		DriverManagerDataSource user = PostgresServer.asUser(this.postgres, "tenant");
		new JdbcTemplate(this.postgres).execute("grant create on schema public to tenant");
		new JdbcTemplate(this.postgres).execute("grant select, insert on invoice to tenant");
		one(user).withPropertyValues("leader.fence.guarded-tables=invoice")
			.run(failsWith("The table invoice cannot be guarded by this user"));
	}

	@Test
	void triggersOfAMigrationAreAcceptedFromAUserWhoCouldNotMakeThem() throws Exception {
		create(this.postgres, "invoice");
		DriverManagerDataSource user = PostgresServer.asUser(this.postgres, "tenant");
		new JdbcTemplate(this.postgres).execute("grant create on schema public to tenant");
		one(user).run((context) -> assertThat(context).hasNotFailed());
		one(this.postgres).withPropertyValues("leader.fence.guarded-tables=invoice")
			.run((context) -> assertThat(context).hasNotFailed());
		one(user).withPropertyValues("leader.fence.guarded-tables=invoice")
			.run((context) -> assertThat(context).hasNotFailed());
		refused(this.postgres, "invoice");
	}

	@Test
	void withoutThePropertyNothingIsGuarded() {
		create(this.postgres, "invoice");
		one(this.postgres).run((context) -> assertThat(context).hasNotFailed());
		assertThat(new JdbcTemplate(this.postgres).update("insert into invoice values (1)")).isOne();
	}

	/** Writes what only the leader may write. */
	static class Job {

		private final JdbcTemplate jdbc;

		private final FencedJdbcTemplate fenced;

		private final TransactionTemplate transaction;

		Job(JdbcTemplate jdbc, FencedJdbcTemplate fenced, TransactionTemplate transaction) {
			this.jdbc = jdbc;
			this.fenced = fenced;
			this.transaction = transaction;
		}

		@LeaderOnly("duty")
		void writeInTransaction() {
			this.transaction.executeWithoutResult((status) -> {
				this.jdbc.update("insert into invoice values (1)");
				this.jdbc.update("insert into invoice values (2)");
			});
		}

		@LeaderOnly("duty")
		String beginOfTransaction(String query) {
			return this.transaction.execute((status) -> this.jdbc.queryForObject(query, String.class));
		}

		@LeaderOnly("duty")
		void writeAlone() {
			this.fenced.update("insert into invoice values (3)");
		}

	}

	private static ApplicationContextRunner one(DriverManagerDataSource database) {
		return runner().withBean("first", DriverManagerDataSource.class, () -> database);
	}

	private ApplicationContextRunner two(DriverManagerDataSource second) {
		return runner()
			.withBean("first", DriverManagerDataSource.class, () -> this.postgres,
					(definition) -> definition.setPrimary(true))
			.withBean("second", DriverManagerDataSource.class, () -> second);
	}

	private static ApplicationContextRunner runner() {
		return TestContexts.local().withConfiguration(AutoConfigurations.of(LeaderFenceAutoConfiguration.class));
	}

	private static ContextConsumer<AssertableApplicationContext> failsWith(String message) {
		return (context) -> assertThat(context).getFailure()
			.hasStackTraceContaining(LeaderSchemaException.class.getName())
			.hasStackTraceContaining(message);
	}

	private static void create(DriverManagerDataSource database, String table) {
		new JdbcTemplate(database).execute("create table %s (id int)".formatted(table));
	}

	private static void refused(DriverManagerDataSource database, String table) {
		// Drivers do not agree on the kind of failure of a custom SQL state.
		assertThatExceptionOfType(DataAccessException.class)
			.isThrownBy(() -> new JdbcTemplate(database).update("insert into %s values (1)".formatted(table)))
			.havingCause()
			.isInstanceOfSatisfying(SQLException.class,
					(ex) -> assertThat(ex.getSQLState()).isEqualTo(FenceTriggers.NO_EPOCH));
	}

}
