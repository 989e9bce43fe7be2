package io.leaderstarter.fencing;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.leaderstarter.ActiveTerm;
import io.leaderstarter.LeaderContext;
import io.leaderstarter.StaleLeaderException;
import io.leaderstarter.election.spi.Documentation;
import io.leaderstarter.jdbc.SchemaInitialization;
import io.leaderstarter.testsupport.TestTerm;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What must hold for fenced transactions on every database.
 */
abstract class FencedTransactionsContractTests {

	static final String STORE = "store-1";

	/** Longer than a machine is paused. */
	static final Duration RAISE_TIMEOUT = Duration.ofSeconds(30);

	private static final Duration IDLE_TIMEOUT = Duration.ofSeconds(30);

	static final Duration PATIENCE = Duration.ofMinutes(1);

	/** How long a raise waits that is to fail. */
	static final Duration IMPATIENCE = Duration.ofSeconds(4);

	final TestTerm old = new TestTerm("role", 7);

	final TestTerm next = new TestTerm("role", 8);

	DriverManagerDataSource database;

	HikariDataSource pool;

	Fence fence;

	FencedTransactions transactions;

	DataSourceTransactionManager manager;

	JdbcTemplate jdbc;

	abstract DriverManagerDataSource newDatabase();

	/** The same database for a raise that is to fail because it waits. */
	DriverManagerDataSource impatient() {
		return this.database;
	}

	/** A fence on the same table with other time-outs. */
	final Fence fence(DriverManagerDataSource database, Duration raiseTimeout, Duration idleTimeout) {
		Fence fence = new Fence("db", database, database,
				TestFence.settings("test", "leader_", SchemaInitialization.NEVER, raiseTimeout, idleTimeout),
				(role) -> true);
		fence.prepare();
		return fence;
	}

	DataSourceTransactionManager newManager(DataSource dataSource) {
		return new DataSourceTransactionManager(dataSource);
	}

	@BeforeEach
	void start() {
		this.database = newDatabase();
		this.pool = new HikariDataSource();
		this.pool.setDataSource(this.database);
		this.pool.setMaximumPoolSize(4);
		this.fence = new Fence("db", this.pool, this.database,
				TestFence.settings("test", "leader_", SchemaInitialization.ALWAYS, RAISE_TIMEOUT, IDLE_TIMEOUT),
				(role) -> true);
		this.fence.prepare();
		Fences fences = new Fences(List.of(this.fence), true, List.of());
		this.transactions = new FencedTransactions(() -> fences);
		this.manager = newManager(this.pool);
		this.transactions.attach(this.manager, "manager");
		this.jdbc = new JdbcTemplate(this.pool);
		this.jdbc.execute("create table written (epoch bigint not null)");
		this.jdbc.execute("create table account (id int primary key, balance int not null)");
		this.jdbc.update("insert into account values (1, 100)");
		this.fence.raise(this.old.leadership(), STORE);
	}

	@AfterEach
	void nothingIsLeftBehind() {
		assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
		assertThat(TransactionSynchronizationManager.isSynchronizationActive()).isFalse();
		assertThat(LeaderContext.terms()).isEmpty();
		assertThat(this.pool.getHikariPoolMXBean().getActiveConnections()).as("connections given back").isZero();
		this.pool.close();
		this.fence.close();
	}

	@Test
	void termWhoseEpochWasRaisedLastCommits() {
		inTransaction(this.old, this::write);
		assertThat(written()).isEqualTo(1);
	}

	@Test
	void transactionThatWroteBeforeTheRaiseIsRolledBack() {
		assertThatExceptionOfType(StaleLeaderException.class).isThrownBy(() -> inTransaction(this.old, () -> {
			write();
			this.fence.raise(this.next.leadership(), STORE);
		}));
		assertThat(written()).isZero();
	}

	@ParameterizedTest
	@ValueSource(ints = { TransactionDefinition.ISOLATION_READ_COMMITTED,
			TransactionDefinition.ISOLATION_REPEATABLE_READ, TransactionDefinition.ISOLATION_SERIALIZABLE })
	void transactionThatSeesTheFenceAsItWasIsRolledBack(int isolation) {
		assertThatExceptionOfType(RuntimeException.class)
			.isThrownBy(() -> inTransaction(isolation, false, this.old, () -> {
				// What is seen from here on may be older than the raise.
				this.jdbc.queryForList("select * from account");
				write();
				this.fence.raise(this.next.leadership(), STORE);
			}))
			.matches((ex) -> ex instanceof StaleLeaderException || ex instanceof FenceException
					|| ex instanceof ConcurrencyFailureException);
		assertThat(written()).isZero();
	}

	@Test
	void raiseWaitsForTheTransactionThatHasPassedItsCheck() throws Exception {
		try (Connection connection = this.pool.getConnection()) {
			connection.setAutoCommit(false);
			connection.createStatement().executeUpdate("insert into written values (7)");
			this.fence.check().check(connection, this.old);
			CompletableFuture<Void> raise = CompletableFuture
				.runAsync(() -> this.fence.raise(this.next.leadership(), STORE));
			assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> raise.get(300, TimeUnit.MILLISECONDS));
			connection.commit();
			connection.setAutoCommit(true);
			raise.get(RAISE_TIMEOUT.toSeconds(), TimeUnit.SECONDS);
		}
		assertThat(written()).isEqualTo(1);
		assertThatExceptionOfType(StaleLeaderException.class).isThrownBy(() -> inTransaction(this.old, this::write));
	}

	@Test
	void raiseThatIsHeldUpForTooLongFailsInTime() throws Exception {
		try (Connection connection = this.pool.getConnection();
				Fence impatient = fence(impatient(), IMPATIENCE, IDLE_TIMEOUT)) {
			connection.setAutoCommit(false);
			this.fence.check().check(connection, this.old);
			long start = System.nanoTime();
			assertThatExceptionOfType(FenceException.class)
				.isThrownBy(() -> impatient.raise(this.next.leadership(), STORE))
				.withMessageContaining("'db'");
			assertThat(Duration.ofNanos(System.nanoTime() - start)).as("all of the time, and not for ever")
				.isBetween(IMPATIENCE.minusMillis(100), IMPATIENCE.multipliedBy(3));
			connection.rollback();
			connection.setAutoCommit(true);
		}
		this.fence.raise(this.next.leadership(), STORE);
	}

	@Test
	void termThatIsOverByTheClockOfTheMemberIsRefusedWithoutACheck() {
		assertThatExceptionOfType(StaleLeaderException.class).isThrownBy(() -> inTransaction(this.old, () -> {
			write();
			this.old.end();
		}));
		assertThat(written()).isZero();
	}

	/** What a check goes to the database with. */
	FenceListener.Trip trip() {
		return FenceListener.Trip.OWN;
	}

	@Test
	void listenersAreNotifiedOfChecksAndRefusals() {
		RecordedChecks recorded = RecordedChecks.of(this.fence);
		inTransaction(this.old, this::write);
		assertThat(recorded.next()).containsExactly("checked, trip " + trip());
		this.fence.raise(this.next.leadership(), STORE);
		assertThatExceptionOfType(StaleLeaderException.class).isThrownBy(() -> inTransaction(this.old, this::write))
			.withMessageStartingWith("The term %s is over: 'db' refuses it, as ".formatted(this.old.leadership()));
		assertThat(recorded.next()).containsExactlyInAnyOrder("checked, trip " + trip(), "refused epoch 7 by FENCE");
		this.old.end();
		assertThatExceptionOfType(StaleLeaderException.class).isThrownBy(() -> inTransaction(this.old, this::write));
		assertThat(recorded.next()).containsExactly("refused epoch 7 by MEMBER");
	}

	@Test
	void transactionOutsideOfTermsIsNotChecked() {
		this.fence.raise(this.next.leadership(), STORE);
		new TransactionTemplate(this.manager).executeWithoutResult((status) -> write());
		assertThat(written()).isEqualTo(1);
	}

	@Test
	void newTransactionInsideIsCheckedByItself() {
		assertThatExceptionOfType(StaleLeaderException.class).isThrownBy(() -> inTransaction(this.old, () -> {
			TransactionTemplate inner = new TransactionTemplate(this.manager);
			inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
			inner.executeWithoutResult((status) -> write());
			this.fence.raise(this.next.leadership(), STORE);
			inner.executeWithoutResult((status) -> write());
		}));
		assertThat(written()).isEqualTo(1);
	}

	@Test
	void nestedTransactionIsCheckedWithTheWhole() {
		assertThatExceptionOfType(StaleLeaderException.class).isThrownBy(() -> inTransaction(this.old, () -> {
			TransactionTemplate inner = new TransactionTemplate(this.manager);
			inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
			inner.executeWithoutResult((status) -> write());
			this.fence.raise(this.next.leadership(), STORE);
		}));
		assertThat(written()).isZero();
	}

	@Test
	void transactionThatWasOpenBeforeTheCallBelongsToIt() {
		assertThatExceptionOfType(StaleLeaderException.class)
			.isThrownBy(() -> new TransactionTemplate(this.manager).executeWithoutResult((status) -> {
				call(this.old, this::write);
				// The call has returned; its write has not committed.
				this.fence.raise(this.next.leadership(), STORE);
			}));
		assertThat(written()).isZero();
	}

	@Test
	void transactionThatWasBegunInTheCallAndCommitsAfterItIsChecked() {
		TransactionStatus[] begun = new TransactionStatus[1];
		call(this.old, () -> {
			begun[0] = this.manager.getTransaction(TransactionDefinition.withDefaults());
			write();
		});
		this.fence.raise(this.next.leadership(), STORE);
		assertThatExceptionOfType(StaleLeaderException.class).isThrownBy(() -> this.manager.commit(begun[0]));
		assertThat(written()).isZero();
	}

	@Test
	void outerTransactionDoesNotCommitWhatARefusedInnerOneOfAnotherManagerWrote() {
		DataSourceTransactionManager other = new DataSourceTransactionManager(newDatabase());
		this.transactions.attach(other, "manager");
		assertThatExceptionOfType(UnexpectedRollbackException.class)
			.isThrownBy(() -> new TransactionTemplate(this.manager)
				.executeWithoutResult((outer) -> assertThatExceptionOfType(StaleLeaderException.class)
					.isThrownBy(() -> new TransactionTemplate(other).executeWithoutResult((inner) -> {
						call(this.old, this::write);
						this.fence.raise(this.next.leadership(), STORE);
					}))));
		assertThat(written()).isZero();
	}

	@Test
	void callThatComesWhileTheTransactionPreparesToCommitBelongsToIt() {
		assertThatExceptionOfType(StaleLeaderException.class).isThrownBy(() -> new TransactionTemplate(this.manager)
			.executeWithoutResult((status) -> TransactionSynchronizationManager
				.registerSynchronization(new TransactionSynchronization() {

					@Override
					public void beforeCommit(boolean readOnly) {
						call(FencedTransactionsContractTests.this.old, FencedTransactionsContractTests.this::write);
						FencedTransactionsContractTests.this.fence
							.raise(FencedTransactionsContractTests.this.next.leadership(), STORE);
					}

				})));
		assertThat(written()).isZero();
	}

	@Test
	void callThatJoinedASuspendedTransactionDoesNotConcernTheInnerOne() {
		TransactionTemplate inner = new TransactionTemplate(this.manager);
		inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		assertThatExceptionOfType(StaleLeaderException.class)
			.isThrownBy(() -> new TransactionTemplate(this.manager).executeWithoutResult((status) -> {
				call(this.old, this::write);
				this.fence.raise(this.next.leadership(), STORE);
				inner.executeWithoutResult((innerStatus) -> write());
			}));
		assertThat(written()).as("only the inner one, which no call has joined").isEqualTo(1);
	}

	@Test
	void allTermsOfNestedCallsAreChecked() {
		TestTerm other = new TestTerm("another", 3);
		this.fence.raise(other.leadership(), STORE);
		call(other, () -> inTransaction(this.old, this::write));
		assertThat(written()).isEqualTo(1);
		this.fence.raise(new TestTerm("another", 4).leadership(), STORE);
		assertThatExceptionOfType(StaleLeaderException.class)
			.isThrownBy(() -> call(other, () -> inTransaction(this.old, this::write)))
			.withMessageContaining("'another'");
		assertThat(written()).isEqualTo(1);
	}

	@Test
	void writeInATransactionThatIsDeclaredToBeReadOnlyIsRefused() {
		this.fence.raise(this.next.leadership(), STORE);
		assertThatExceptionOfType(RuntimeException.class)
			.isThrownBy(() -> inTransaction(TransactionDefinition.ISOLATION_DEFAULT, true, this.old, this::write));
		assertThat(written()).isZero();
	}

	@Test
	void transactionThatOnlyReadsIsFine() {
		inTransaction(TransactionDefinition.ISOLATION_DEFAULT, true, this.old,
				() -> this.jdbc.queryForList("select * from account"));
	}

	@Test
	void oldTermAndNewTermOnOneMemberAreTwo() {
		this.fence.raise(this.next.leadership(), STORE);
		inTransaction(this.next, this::write);
		assertThatExceptionOfType(StaleLeaderException.class).isThrownBy(() -> inTransaction(this.old, this::write));
		assertThat(written()).isEqualTo(1);
	}

	@Test
	void sameEpochOfAnotherTermIdIsRefused() {
		TestTerm twin = new TestTerm("role", 7);
		assertThatExceptionOfType(StaleLeaderException.class).isThrownBy(() -> inTransaction(twin, this::write));
		assertThatExceptionOfType(EpochRegressionException.class)
			.isThrownBy(() -> this.fence.raise(twin.leadership(), STORE))
			.withMessageContaining(Documentation.EPOCHS_THAT_GO_BACK);
	}

	@Test
	void lowerEpochIsRefusedAndChangesNothing() {
		assertThatExceptionOfType(EpochRegressionException.class)
			.isThrownBy(() -> this.fence.raise(new TestTerm("role", 6).leadership(), STORE));
		assertThat(this.fence.read(List.of("role")).get("role").isRaisedFor(this.old.leadership())).isTrue();
	}

	@Test
	void epochOfAnotherStoreIsRefusedHoweverHighItIs() {
		assertThatExceptionOfType(EpochRegressionException.class)
			.isThrownBy(() -> this.fence.raise(new TestTerm("role", 100).leadership(), "store-2"))
			.withMessageContaining("store-1")
			.withMessageContaining("store-2");
		assertThat(this.fence.read(List.of("role")).get("role").epoch()).isEqualTo(7);
	}

	@Test
	void raiseThatIsRepeatedIsFine() {
		this.fence.raise(this.old.leadership(), STORE);
		inTransaction(this.old, this::write);
	}

	@Test
	void fenceThatCannotBeReadLetsNothingPass() {
		this.jdbc.execute("drop table leader_fence");
		assertThatExceptionOfType(FenceException.class).isThrownBy(() -> inTransaction(this.old, this::write))
			.withMessageContaining("nothing is committed");
		assertThat(written()).isZero();
	}

	@Test
	void transactionExceptionInsteadOfAFenceExceptionWouldCommit() {
		// Why StaleLeaderException is none: Spring cleans up after it without a rollback.
		DataSourceTransactionManager unsafe = new DataSourceTransactionManager(this.pool);
		unsafe.addListener(new TransactionExecutionListener() {

			@Override
			public void beforeCommit(TransactionExecution transaction) {
				throw new CannotCreateTransactionException("refused");
			}

		});
		assertThatExceptionOfType(CannotCreateTransactionException.class)
			.isThrownBy(() -> new TransactionTemplate(unsafe).executeWithoutResult((status) -> write()));
		assertThat(written()).as("the test sees what goes wrong").isEqualTo(1);
	}

	@Test
	void checkWithoutALockWouldLetAStaleWritePass() throws Exception {
		// Why the check locks the row: here it does not, and the raise gets in between.
		try (Connection connection = this.pool.getConnection()) {
			connection.setAutoCommit(false);
			connection.createStatement().executeUpdate("insert into written values (7)");
			try (var row = connection.createStatement()
				.executeQuery("select epoch from leader_fence where role = 'role'")) {
				assertThat(row.next()).isTrue();
				assertThat(row.getLong(1)).isEqualTo(7);
			}
			this.fence.raise(this.next.leadership(), STORE);
			connection.commit();
			connection.setAutoCommit(true);
		}
		assertThat(written()).as("the test sees what goes wrong").isEqualTo(1);
	}

	void write() {
		this.jdbc.update("insert into written values (7)");
	}

	long written() {
		return new JdbcTemplate(this.database).queryForObject("select count(*) from written", Long.class);
	}

	void call(ActiveTerm term, Runnable work) {
		try (LeaderContext.Scope scope = LeaderContext.open(term)) {
			assertThat(scope).isNotNull();
			this.transactions.onCall(term);
			work.run();
		}
	}

	private void inTransaction(ActiveTerm term, Runnable work) {
		inTransaction(TransactionDefinition.ISOLATION_DEFAULT, false, term, work);
	}

	private void inTransaction(int isolation, boolean readOnly, ActiveTerm term, Runnable work) {
		TransactionTemplate template = new TransactionTemplate(this.manager);
		template.setIsolationLevel(isolation);
		template.setReadOnly(readOnly);
		call(term, () -> template.executeWithoutResult((status) -> work.run()));
	}

}
