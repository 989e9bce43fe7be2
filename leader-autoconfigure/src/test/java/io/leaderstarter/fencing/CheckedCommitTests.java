package io.leaderstarter.fencing;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import javax.sql.DataSource;

import io.leaderstarter.LeaderContext;
import io.leaderstarter.StaleLeaderException;
import io.leaderstarter.testsupport.TestTerm;
import org.junit.jupiter.api.Test;

import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link CheckedCommit}: all that holds for fenced transactions on PostgreSQL
 * holds if the check and the commit are one message too, and a commit that fails fails as
 * it would without a fence.
 */
class CheckedCommitTests extends PostgreSqlFencedTransactionsTests {

	@Override
	DataSourceTransactionManager newManager(DataSource dataSource) {
		return new JdbcTransactionManager(dataSource);
	}

	@Override
	FenceListener.Trip trip() {
		return FenceListener.Trip.COMMIT;
	}

	@Test
	void staleTransactionIsRolledBackAndTheConnectionGoesOn() {
		this.fence.raise(this.next.leadership(), STORE);
		for (int time = 0; time < 12; time++) {
			assertThatExceptionOfType(StaleLeaderException.class).isThrownBy(() -> run(this.old, this::write));
			run(this.next, this::write);
		}
		assertThat(written()).isEqualTo(12);
	}

	@Test
	void constraintThatIsCheckedAtTheCommitIsReportedAsWithoutAFence() {
		this.jdbc.execute("create table late (id int unique deferrable initially deferred)");
		Runnable work = () -> {
			this.jdbc.update("insert into late values (1)");
			this.jdbc.update("insert into late values (1)");
		};
		assertThatExceptionOfType(DuplicateKeyException.class)
			.isThrownBy(() -> new TransactionTemplate(this.manager).executeWithoutResult((status) -> work.run()));
		assertThatExceptionOfType(DuplicateKeyException.class).isThrownBy(() -> run(this.old, work));
		assertThat(this.jdbc.queryForObject("select count(*) from late", Integer.class)).isZero();
		run(this.old, this::write);
		assertThat(written()).isEqualTo(1);
	}

	@Test
	void conflictThatIsFoundAtTheCommitIsReportedAsWithoutAFence() throws Exception {
		this.jdbc.update("insert into account values (2, 100)");
		CountDownLatch read = new CountDownLatch(2);
		// The threads that are there by default may be too few for two that wait for each
		// other.
		Executor threads = (task) -> new Thread(task).start();
		CompletableFuture<Void> one = CompletableFuture.runAsync(() -> withdraw(1, read), threads);
		CompletableFuture<Void> two = CompletableFuture.runAsync(() -> withdraw(2, read), threads);
		assertThat(CompletableFuture.allOf(one, two)).failsWithin(20, TimeUnit.SECONDS)
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(ConcurrencyFailureException.class);
		assertThat(one.isCompletedExceptionally()).isNotEqualTo(two.isCompletedExceptionally());
		assertThat(this.jdbc.queryForObject("select sum(balance) from account", Integer.class)).isEqualTo(100);
	}

	@Test
	void listenerBehindCanStillObject() {
		this.manager.addListener(new TransactionExecutionListener() {

			@Override
			public void beforeCommit(TransactionExecution transaction) {
				throw new IllegalStateException("not this one");
			}

		});
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> run(this.old, this::write));
		assertThat(written()).isZero();
	}

	@Test
	void fenceWithoutItsTableLetsNothingCommit() {
		this.jdbc.execute("drop table leader_fence");
		assertThatExceptionOfType(FenceException.class).isThrownBy(() -> run(this.old, this::write))
			.withMessageContaining("nothing is committed")
			.withMessageContaining("leader_fence");
		assertThat(written()).isZero();
	}

	@Test
	void synchronizationsSeeACommit() {
		int[] status = { -1 };
		run(this.old, () -> {
			write();
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void afterCompletion(int completed) {
					status[0] = completed;
				}

			});
		});
		assertThat(status[0]).isEqualTo(TransactionSynchronization.STATUS_COMMITTED);
		assertThat(written()).isEqualTo(1);
	}

	/** Each reads both accounts and takes from one: together they would take too much. */
	private void withdraw(int account, CountDownLatch read) {
		TransactionTemplate serializable = new TransactionTemplate(this.manager);
		serializable.setIsolationLevel(TransactionDefinition.ISOLATION_SERIALIZABLE);
		try (LeaderContext.Scope scope = LeaderContext.open(this.old)) {
			assertThat(scope).isNotNull();
			serializable.executeWithoutResult((status) -> {
				Integer sum = this.jdbc.queryForObject("select sum(balance) from account", Integer.class);
				assertThat(sum).isEqualTo(200);
				await(read);
				this.jdbc.update("update account set balance = balance - 100 where id = ?", account);
			});
		}
	}

	private void run(TestTerm term, Runnable work) {
		try (LeaderContext.Scope scope = LeaderContext.open(term)) {
			assertThat(scope).isNotNull();
			new TransactionTemplate(this.manager).executeWithoutResult((status) -> work.run());
		}
	}

	private static void await(CountDownLatch latch) {
		latch.countDown();
		try {
			latch.await(20, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
