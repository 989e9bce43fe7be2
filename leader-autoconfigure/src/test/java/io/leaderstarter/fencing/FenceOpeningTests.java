package io.leaderstarter.fencing;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import com.zaxxer.hikari.HikariDataSource;
import io.leaderstarter.ActiveTerm;
import io.leaderstarter.LeaderContext;
import io.leaderstarter.StaleLeaderException;
import io.leaderstarter.fencing.jdbc.FencedJdbcTemplate;
import io.leaderstarter.jdbc.SchemaInitialization;
import io.leaderstarter.jdbc.SchemaSettings;
import io.leaderstarter.testsupport.TestDatabase;
import io.leaderstarter.testsupport.TestTerm;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link FenceSql}: what the database knows of a transaction from its beginning
 * on.
 */
@ParameterizedClass
@EnumSource(names = { "POSTGRESQL", "MARIADB" })
class FenceOpeningTests {

	@Parameter
	private TestDatabase kind;

	private final TestTerm old = new TestTerm("role", 7);

	private final TestTerm next = new TestTerm("role", 8);

	private DriverManagerDataSource database;

	private HikariDataSource pool;

	private Fence fence;

	private FencedTransactions transactions;

	private TransactionTemplate transaction;

	private JdbcTemplate jdbc;

	private FencedJdbcTemplate fenced;

	@BeforeEach
	void start() {
		this.database = this.kind.make();
		this.pool = new HikariDataSource();
		this.pool.setDataSource(this.database);
		this.pool.setMaximumPoolSize(1);
		this.fence = new Fence("db", this.pool, this.database,
				new FenceSettings("test", null, new SchemaSettings("leader_", SchemaInitialization.ALWAYS, null),
						Duration.ofSeconds(2), new FenceSettings.Transactions(Duration.ofSeconds(1), true, true), null),
				(role) -> true);
		this.fence.prepare();
		Fences fences = new Fences(List.of(this.fence), true, List.of());
		this.transactions = new FencedTransactions(() -> fences);
		DataSourceTransactionManager manager = new DataSourceTransactionManager(this.pool);
		this.transactions.attach(manager, "manager");
		this.transaction = new TransactionTemplate(manager);
		this.jdbc = new JdbcTemplate(this.pool);
		this.fenced = new FencedJdbcTemplate(this.jdbc, () -> fences);
		this.jdbc.execute("create table account (id int primary key, balance int not null)");
		this.jdbc.update("insert into account values (1, 100)");
		this.fence.raise(this.old.leadership(), "store");
	}

	@AfterEach
	void stop() {
		this.pool.close();
		this.fence.close();
	}

	@Test
	void transactionThatIsStuckBeforeItsCheckLosesItsLocks() throws Exception {
		CountDownLatch stuck = new CountDownLatch(1);
		CountDownLatch goOn = new CountDownLatch(1);
		CompletableFuture<Void> zombie = CompletableFuture
			.runAsync(() -> call(this.old, () -> this.transaction.executeWithoutResult((status) -> {
				this.jdbc.update("update account set balance = 0");
				stuck.countDown();
				awaitUninterruptibly(goOn);
			})));
		assertThat(stuck.await(10, TimeUnit.SECONDS)).isTrue();
		this.fence.raise(this.next.leadership(), "store");
		// Waits for the row, and would do so for as long as the other one is stuck.
		JdbcTemplate successor = new JdbcTemplate(this.database);
		successor.setQueryTimeout(20);
		assertThat(successor.update("update account set balance = balance + 1")).isEqualTo(1);
		goOn.countDown();
		assertThat(zombie).failsWithin(Duration.ofSeconds(10));
		assertThat(successor.queryForObject("select balance from account", Integer.class)).isEqualTo(101);
	}

	@Test
	void variablesOfATransactionThatWasOpenBeforeTheCallAreSetWhenTheCallBegins() {
		this.transaction.executeWithoutResult((status) -> {
			assertThat(carried()).isNullOrEmpty();
			call(this.old, () -> assertThat(carried()).isEqualTo(line(this.old)));
		});
		assertThat(carried()).isNullOrEmpty();
	}

	@Test
	void variablesOfATransactionAreResetAtItsEnd() {
		String before = idleTimeout();
		call(this.old, () -> this.transaction.executeWithoutResult((status) -> {
			assertThat(carried()).isEqualTo(line(this.old));
			assertThat(idleTimeout()).isNotEqualTo(before).startsWith("1");
		}));
		assertThat(carried()).isNullOrEmpty();
		assertThat(idleTimeout()).isEqualTo(before);
		assertThatExceptionOfType(IllegalStateException.class)
			.isThrownBy(() -> call(this.old, () -> this.transaction.executeWithoutResult((status) -> {
				throw new IllegalStateException("rolled back");
			})));
		assertThat(carried()).isNullOrEmpty();
		assertThat(idleTimeout()).isEqualTo(before);
	}

	@Test
	void singleStatementCarriesItsTerm() {
		call(this.old, () -> {
			assertThat(this.fenced.queryForObject(carriedQuery(), String.class)).isEqualTo(line(this.old));
			assertThat(this.fenced.batchUpdate("update account set balance = 1", "update account set balance = 2"))
				.hasSize(2);
		});
		assertThat(carried()).isNullOrEmpty();
		this.fence.raise(this.next.leadership(), "store");
		assertThatExceptionOfType(StaleLeaderException.class)
			.isThrownBy(() -> call(this.old, () -> this.fenced.update("update account set balance = 3")));
		assertThat(carried()).isNullOrEmpty();
	}

	@Test
	void transactionThatIsBegunByHandCarriesItsTerm() {
		call(this.old, () -> this.fenced.execute((ConnectionCallback<Void>) (connection) -> {
			for (int time = 0; time < 2; time++) {
				connection.setAutoCommit(false);
				try (var statement = connection.createStatement();
						var result = statement.executeQuery(carriedQuery())) {
					assertThat(result.next()).isTrue();
					assertThat(result.getString(1)).isEqualTo(line(this.old));
				}
				connection.commit();
			}
			connection.setAutoCommit(true);
			return null;
		}));
		assertThat(carried()).isNullOrEmpty();
	}

	@Test
	void transactionOutsideOfCallsHasNoVariables() {
		this.transaction.executeWithoutResult((status) -> assertThat(carried()).isNullOrEmpty());
	}

	private String carried() {
		return this.jdbc.queryForObject(carriedQuery(), String.class);
	}

	private String carriedQuery() {
		return (this.kind == TestDatabase.POSTGRESQL) ? "select current_setting('leader.terms', true)"
				: "select @leader_terms";
	}

	private String idleTimeout() {
		return this.jdbc.queryForObject(
				(this.kind == TestDatabase.POSTGRESQL) ? "select current_setting('idle_in_transaction_session_timeout')"
						: "select @@session.idle_transaction_timeout",
				String.class);
	}

	private static String line(TestTerm term) {
		return "%d\t%s\ttest\trole".formatted(term.leadership().epoch(), term.leadership().termId());
	}

	private void call(ActiveTerm term, Runnable work) {
		try (LeaderContext.Scope scope = LeaderContext.open(term)) {
			assertThat(scope).isNotNull();
			this.transactions.onCall(term);
			work.run();
		}
	}

	private static void awaitUninterruptibly(CountDownLatch latch) {
		try {
			assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
