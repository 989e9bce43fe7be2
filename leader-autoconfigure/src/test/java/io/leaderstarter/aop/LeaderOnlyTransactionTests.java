package io.leaderstarter.aop;

import java.util.ArrayList;
import java.util.List;

import javax.sql.DataSource;

import io.leaderstarter.LeaderContext;
import io.leaderstarter.LeaderOnly;
import io.leaderstarter.TestContexts;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionManagerCustomizationAutoConfiguration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@code @LeaderOnly} together with {@code @Transactional}.
 */
class LeaderOnlyTransactionTests {

	private final ApplicationContextRunner contextRunner = TestContexts.jdbc(TestContexts.h2())
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, TransactionAutoConfiguration.class,
				TransactionManagerCustomizationAutoConfiguration.class,
				DataSourceTransactionManagerAutoConfiguration.class))
		.withBean(Transactions.class)
		.withBean(Job.class);

	@Test
	void leaderRunsTheCallInATransactionThatKnowsTheTerm() {
		this.contextRunner.run((context) -> {
			TestContexts.lead(context);
			context.getBean(Job.class).write();
			assertThat(context.getBean(Transactions.class).happened).containsExactly("begin in [transactional]",
					"commit in [transactional]");
			assertThat(count(context.getBean(DataSource.class))).isOne();
		});
	}

	@Test
	void skippedCallOpensNoTransaction() {
		this.contextRunner.withPropertyValues("leader.candidate.enabled=false").run((context) -> {
			context.getBean(Job.class).write();
			assertThat(context.getBean(Transactions.class).happened).isEmpty();
			assertThat(count(context.getBean(DataSource.class))).isZero();
		});
	}

	@Test
	void callThatFailsIsRolledBack() {
		this.contextRunner.run((context) -> {
			TestContexts.lead(context);
			assertThatIllegalStateException().isThrownBy(() -> context.getBean(Job.class).fail());
			assertThat(context.getBean(Transactions.class).happened).containsExactly("begin in [transactional]",
					"rollback in [transactional]");
			assertThat(count(context.getBean(DataSource.class))).isZero();
		});
	}

	@Test
	void electionItselfTakesNoPartInTheTransactionsOfTheApplication() {
		this.contextRunner.run((context) -> {
			TestContexts.lead(context);
			assertThat(context.getBean(Transactions.class).happened).isEmpty();
		});
	}

	private static int count(DataSource dataSource) {
		Integer count = new JdbcTemplate(dataSource).queryForObject("select count(*) from done", Integer.class);
		return (count != null) ? count : -1;
	}

	static class Job {

		private final JdbcTemplate jdbc;

		Job(DataSource dataSource) {
			this.jdbc = new JdbcTemplate(dataSource);
			this.jdbc.execute("create table if not exists done (id int)");
			this.jdbc.execute("delete from done");
		}

		@LeaderOnly("transactional")
		@Transactional
		public void write() {
			assertThat(TransactionSynchronizationManager.isActualTransactionActive()).isTrue();
			this.jdbc.update("insert into done values (1)");
		}

		@Transactional
		@LeaderOnly("transactional")
		public void fail() {
			this.jdbc.update("insert into done values (1)");
			throw new IllegalStateException("after the insert");
		}

	}

	static class Transactions implements TransactionExecutionListener {

		private final List<String> happened = new ArrayList<>();

		@Override
		public void afterBegin(TransactionExecution transaction, Throwable failure) {
			note("begin");
		}

		@Override
		public void afterCommit(TransactionExecution transaction, Throwable failure) {
			note("commit");
		}

		@Override
		public void afterRollback(TransactionExecution transaction, Throwable failure) {
			note("rollback");
		}

		private void note(String what) {
			this.happened
				.add(what + " in " + LeaderContext.terms().stream().map((term) -> term.leadership().role()).toList());
		}

	}

}
