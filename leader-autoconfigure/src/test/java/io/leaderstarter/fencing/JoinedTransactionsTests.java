package io.leaderstarter.fencing;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import io.leaderstarter.LeaderContext;
import io.leaderstarter.StaleLeaderException;
import io.leaderstarter.jdbc.SchemaInitialization;
import io.leaderstarter.testsupport.MemoryDatabases;
import io.leaderstarter.testsupport.TestTerm;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.core.Ordered;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for transactions that a call has joined, whatever their manager does with
 * synchronizations, and for those that follow when such a transaction has ended.
 */
class JoinedTransactionsTests {

	private static final String STORE = "store-1";

	private final TestTerm old = new TestTerm("role", 7);

	private final TestTerm next = new TestTerm("role", 8);

	private final DriverManagerDataSource database = MemoryDatabases.newH2();

	private final JdbcTemplate jdbc = new JdbcTemplate(this.database);

	private final Fence fence = new Fence("db", this.database, this.database, TestFence.settings("test", "leader_",
			SchemaInitialization.ALWAYS, Duration.ofSeconds(30), Duration.ofSeconds(30)), (role) -> true);

	private final Fences fences = new Fences(List.of(this.fence), true, List.of());

	private final FencedTransactions transactions = new FencedTransactions(() -> this.fences);

	private final JdbcTransactionManager manager = new JdbcTransactionManager(this.database);

	@BeforeEach
	void start() {
		this.transactions.attach(this.manager, "manager");
		this.fence.prepare();
		this.jdbc.execute("create table written (name varchar(20))");
		this.fence.raise(this.old.leadership(), STORE);
	}

	@AfterEach
	void nothingIsLeftBehind() {
		assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
		assertThat(TransactionSynchronizationManager.isSynchronizationActive()).isFalse();
		// What follows on this thread is no business of the calls.
		new TransactionTemplate(this.manager).executeWithoutResult((status) -> write("later"));
		assertThat(written()).contains("later");
		this.fence.close();
	}

	@Test
	void transactionWithoutSynchronizationsThatACallJoinedIsChecked() {
		this.manager.setTransactionSynchronization(AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER);
		TransactionTemplate template = new TransactionTemplate(this.manager);
		template.executeWithoutResult((status) -> call(() -> write("in time")));
		assertThatExceptionOfType(StaleLeaderException.class)
			.isThrownBy(() -> template.executeWithoutResult((status) -> {
				call(() -> write("stale"));
				raise();
			}));
		assertThat(written()).containsExactly("in time");
	}

	@Test
	void transactionWithoutSynchronizationsThatWasBegunInACallIsChecked() {
		this.manager.setTransactionSynchronization(AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER);
		TransactionStatus[] begun = new TransactionStatus[1];
		call(() -> {
			begun[0] = this.manager.getTransaction(TransactionDefinition.withDefaults());
			write("stale");
		});
		raise();
		assertThatExceptionOfType(StaleLeaderException.class).isThrownBy(() -> this.manager.commit(begun[0]));
		assertThat(written()).isEmpty();
	}

	@ParameterizedTest
	@EnumSource
	void newTransactionAfterOneThatACallJoinedIsChecked(Callback callback) {
		StaleLeaderException[] refused = new StaleLeaderException[2];
		new TransactionTemplate(this.manager).executeWithoutResult((status) -> {
			call(() -> {
				write("in time");
				TransactionSynchronizationManager.registerSynchronization(callback.run(() -> {
					raiseOnce();
					refused[0] = writeInNewTransaction("stale");
					// The first one has ended; the callbacks have not.
					refused[1] = writeInNewTransaction("stale");
				}));
			});
			if (callback == Callback.AFTER_ROLLBACK) {
				status.setRollbackOnly();
			}
		});
		assertThat(refused).doesNotContainNull();
		assertThat(written()).doesNotContain("stale");
	}

	@Test
	void newTransactionAfterwardsMayWriteWhileTheTermLasts() {
		new TransactionTemplate(this.manager).executeWithoutResult((status) -> call(() -> {
			write("first");
			TransactionSynchronizationManager.registerSynchronization(
					Callback.AFTER_COMPLETION.run(() -> assertThat(writeInNewTransaction("second")).isNull()));
		}));
		assertThat(written()).containsExactly("first", "second");
	}

	@Test
	void callInALaterTransactionBelongsToThatOne() {
		StaleLeaderException[] refused = new StaleLeaderException[1];
		new TransactionTemplate(this.manager).executeWithoutResult((status) -> TransactionSynchronizationManager
			.registerSynchronization(Callback.AFTER_COMPLETION.run(() -> {
				try {
					newTransaction().executeWithoutResult((inner) -> {
						call(() -> write("stale"));
						raise();
					});
				}
				catch (StaleLeaderException ex) {
					refused[0] = ex;
				}
				assertThat(writeInNewTransaction("of nobody")).isNull();
			})));
		assertThat(refused).doesNotContainNull();
		assertThat(written()).containsExactly("of nobody");
	}

	@Test
	void endOfATransactionOfAnotherManagerDoesNotEndTheOneThatACallJoined() {
		JdbcTransactionManager other = new JdbcTransactionManager(MemoryDatabases.newH2());
		this.transactions.attach(other, "manager");
		assertThatExceptionOfType(StaleLeaderException.class)
			.isThrownBy(() -> new TransactionTemplate(this.manager).executeWithoutResult((status) -> {
				call(() -> write("stale"));
				new TransactionTemplate(other).executeWithoutResult((inner) -> {
				});
				raise();
			}));
		assertThat(written()).isEmpty();
	}

	@Test
	void transactionOnAnotherThreadIsCheckedOnlyIfTheTermIsCarriedThere() {
		TransactionTemplate template = new TransactionTemplate(this.manager);
		Runnable carried = () -> template.executeWithoutResult((status) -> write("carried"));
		Runnable alone = () -> template.executeWithoutResult((status) -> write("alone"));
		ExecutorService executor = Executors.newSingleThreadExecutor();
		try {
			call(() -> {
				raise();
				assertThatExceptionOfType(CompletionException.class)
					.isThrownBy(() -> CompletableFuture.runAsync(LeaderContext.wrap(carried), executor).join())
					.withCauseInstanceOf(StaleLeaderException.class);
				CompletableFuture.runAsync(alone, executor).join();
			});
		}
		finally {
			executor.shutdown();
		}
		assertThat(written()).containsExactly("alone");
	}

	private void call(Runnable work) {
		try (LeaderContext.Scope scope = LeaderContext.open(this.old)) {
			assertThat(scope).isNotNull();
			this.transactions.onCall(this.old);
			work.run();
		}
	}

	private void raise() {
		this.fence.raise(this.next.leadership(), STORE);
	}

	private void raiseOnce() {
		if (this.fence.read(List.of("role")).get("role").epoch() == 7) {
			raise();
		}
	}

	private StaleLeaderException writeInNewTransaction(String name) {
		try {
			newTransaction().executeWithoutResult((status) -> write(name));
			return null;
		}
		catch (StaleLeaderException ex) {
			return ex;
		}
	}

	private TransactionTemplate newTransaction() {
		TransactionTemplate template = new TransactionTemplate(this.manager);
		template.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		return template;
	}

	private void write(String name) {
		this.jdbc.update("insert into written values (?)", name);
	}

	private List<String> written() {
		return new JdbcTemplate(this.database).queryForList("select name from written", String.class);
	}

	/** Where applications do something when a transaction is over. */
	enum Callback {

		AFTER_COMMIT_FIRST, AFTER_COMMIT_LAST, AFTER_COMPLETION, AFTER_ROLLBACK;

		TransactionSynchronization run(Runnable work) {
			return new TransactionSynchronization() {

				@Override
				public int getOrder() {
					return (Callback.this == AFTER_COMMIT_FIRST) ? Ordered.HIGHEST_PRECEDENCE + 1
							: Ordered.LOWEST_PRECEDENCE;
				}

				@Override
				public void afterCommit() {
					if (Callback.this == AFTER_COMMIT_FIRST || Callback.this == AFTER_COMMIT_LAST) {
						work.run();
					}
				}

				@Override
				public void afterCompletion(int status) {
					if (Callback.this == AFTER_COMPLETION || Callback.this == AFTER_ROLLBACK) {
						work.run();
					}
				}

			};
		}

	}

}
