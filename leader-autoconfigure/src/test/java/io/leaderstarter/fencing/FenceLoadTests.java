package io.leaderstarter.fencing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

import com.zaxxer.hikari.HikariDataSource;
import io.leaderstarter.ActiveTerm;
import io.leaderstarter.LeaderContext;
import io.leaderstarter.StaleLeaderException;
import io.leaderstarter.jdbc.SchemaInitialization;
import io.leaderstarter.testsupport.MemoryDatabases;
import io.leaderstarter.testsupport.PauseWatch;
import io.leaderstarter.testsupport.TestDatabase;
import io.leaderstarter.testsupport.TestTerm;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The fence while many transactions pass it.
 */
@Tag("verify")
@ParameterizedClass
@EnumSource
class FenceLoadTests {

	private static final int THREADS = 4;

	/** Longer than a machine is paused. */
	private static final Duration RAISE_TIMEOUT = Duration.ofSeconds(30);

	@Parameter
	private TestDatabase kind;

	private final PauseWatch watch = new PauseWatch();

	private final AtomicBoolean done = new AtomicBoolean();

	private final Queue<RuntimeException> unexpected = new ConcurrentLinkedQueue<>();

	private DriverManagerDataSource database;

	private HikariDataSource pool;

	private Fence fence;

	private DataSourceTransactionManager manager;

	private TransactionTemplate transaction;

	private JdbcTemplate jdbc;

	@BeforeEach
	void start() {
		DriverManagerDataSource made = this.kind.make();
		this.database = (this.kind == TestDatabase.H2) ? MemoryDatabases.waiting(made, RAISE_TIMEOUT) : made;
		this.pool = new HikariDataSource();
		this.pool.setDataSource(this.database);
		this.pool.setMaximumPoolSize(THREADS);
		this.fence = new Fence("db", this.pool, this.database,
				TestFence.settings("test", "leader_", SchemaInitialization.ALWAYS, RAISE_TIMEOUT, RAISE_TIMEOUT),
				(role) -> true);
		this.fence.prepare();
		Fences fences = new Fences(List.of(this.fence), true, List.of());
		this.manager = new DataSourceTransactionManager(this.pool);
		new FencedTransactions(() -> fences).attach(this.manager, "manager");
		this.transaction = new TransactionTemplate(this.manager);
		this.jdbc = new JdbcTemplate(this.pool);
		this.jdbc.execute("create table written (thread int not null, one bigint not null, two bigint not null)");
	}

	@AfterEach
	void stop() {
		this.watch.close();
		this.pool.close();
		this.fence.close();
	}

	@Test
	void overlappingTransactionsDoNotHoldTheRaiseUpOnceTheirTermIsOverByTheClockOfTheMember() {
		// Each holds the fence for a while, and there is always one that does.
		this.manager.addListener(new TransactionExecutionListener() {

			@Override
			public void beforeCommit(TransactionExecution transaction) {
				pause(40);
			}

		});
		TestTerm old = raised("role", 7);
		AtomicInteger committed = new AtomicInteger();
		List<CompletableFuture<Void>> threads = inThreads((thread) -> {
			call(old, () -> this.transaction.executeWithoutResult((status) -> write(thread, 7, 0)));
			committed.incrementAndGet();
		});
		pause(300);
		old.end();
		// Made before, as a term that a store grants takes its time.
		TestTerm next = new TestTerm("role", 8);
		long started = System.nanoTime();
		this.fence.raise(next.leadership(), "store");
		long ended = System.nanoTime();
		long at = written();
		pause(300);
		this.done.set(true);
		threads.forEach(CompletableFuture::join);
		assertThat(this.unexpected).isEmpty();
		assertThat(committed).as("the test had something to hold the raise up with").hasPositiveValue();
		// The longest transaction takes some 40 ms. The rest is for a slow machine.
		this.watch.assertTookLessThan(Duration.ofSeconds(2), started, ended);
		assertThat(written()).as("after the raise").isEqualTo(at);
	}

	@Test
	void transactionsOfSeveralRolesNeverWaitForEachOtherInACircle() {
		TestTerm one = raised("one", 1);
		TestTerm two = raised("two", 1);
		AtomicInteger committed = new AtomicInteger();
		List<CompletableFuture<Void>> threads = inThreads((thread) -> {
			TestTerm outer = (thread % 2 == 0) ? one : two;
			TestTerm inner = (thread % 2 == 0) ? two : one;
			call(outer,
					() -> call(inner, () -> this.transaction.executeWithoutResult((status) -> write(thread, 1, 1))));
			committed.incrementAndGet();
		});
		for (int epoch = 2; epoch < 30; epoch++) {
			// Of another role, in the same table, and of these, which changes nothing.
			raised("three", epoch);
			pause(20);
		}
		this.done.set(true);
		threads.forEach(CompletableFuture::join);
		assertThat(this.unexpected).isEmpty();
		assertThat(committed.get()).isEqualTo((int) written());
	}

	@Test
	void transactionOfTwoRolesCommitsOnlyWhileBothLast() {
		TestTerm[] one = { raised("one", 1) };
		TestTerm[] two = { raised("two", 1) };
		List<CompletableFuture<Void>> threads = inThreads((thread) -> {
			TestTerm first = one[0];
			TestTerm second = two[0];
			call(first, () -> call(second, () -> this.transaction.executeWithoutResult(
					(status) -> write(thread, first.leadership().epoch(), second.leadership().epoch()))));
		});
		List<Long> stale = new ArrayList<>();
		for (int epoch = 2; epoch < 40; epoch++) {
			pause(10);
			TestTerm next = raised((epoch % 2 == 0) ? "one" : "two", epoch);
			String column = (epoch % 2 == 0) ? "one" : "two";
			long before = written(column, epoch);
			pause(5);
			stale.add(written(column, epoch) - before);
			((epoch % 2 == 0) ? one : two)[0] = next;
		}
		this.done.set(true);
		threads.forEach(CompletableFuture::join);
		assertThat(this.unexpected).isEmpty();
		assertThat(stale).as("committed under an earlier epoch after the raise").containsOnly(0L);
		assertThat(written()).isPositive();
	}

	private TestTerm raised(String role, long epoch) {
		TestTerm term = new TestTerm(role, epoch);
		this.fence.raise(term.leadership(), "store");
		return term;
	}

	private List<CompletableFuture<Void>> inThreads(IntConsumer work) {
		List<CompletableFuture<Void>> threads = new ArrayList<>();
		for (int thread = 0; thread < THREADS; thread++) {
			int number = thread;
			CompletableFuture<Void> ended = new CompletableFuture<>();
			threads.add(ended);
			new Thread(() -> {
				while (!this.done.get()) {
					try {
						work.accept(number);
					}
					catch (StaleLeaderException ex) {
						pause(1);
					}
					catch (RuntimeException ex) {
						this.unexpected.add(ex);
						break;
					}
				}
				ended.complete(null);
			}, "load-" + thread).start();
		}
		return threads;
	}

	private void write(int thread, long one, long two) {
		this.jdbc.update("insert into written values (?, ?, ?)", thread, one, two);
	}

	private long written() {
		return new JdbcTemplate(this.database).queryForObject("select count(*) from written", Long.class);
	}

	private long written(String column, long before) {
		return new JdbcTemplate(this.database)
			.queryForObject("select count(*) from written where %s < ?".formatted(column), Long.class, before);
	}

	private static void call(ActiveTerm term, Runnable work) {
		try (LeaderContext.Scope scope = LeaderContext.open(term)) {
			assertThat(scope).isNotNull();
			work.run();
		}
	}

	private static void pause(long millis) {
		try {
			Thread.sleep(millis);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
