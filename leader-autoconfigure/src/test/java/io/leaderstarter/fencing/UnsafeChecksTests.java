package io.leaderstarter.fencing;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.leaderstarter.jdbc.SchemaInitialization;
import io.leaderstarter.testsupport.MemoryDatabases;
import io.leaderstarter.testsupport.TestDatabase;
import io.leaderstarter.testsupport.TestTerm;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks that seem right and are not: each lets a stale write through, which shows that
 * these tests can see it. Beside them the check that the fence makes.
 */
class UnsafeChecksTests {

	/** Longer than a machine is paused. */
	private static final Duration LONG = Duration.ofSeconds(30);

	private final TestTerm old = new TestTerm("role", 7);

	private final TestTerm next = new TestTerm("role", 8);

	private DriverManagerDataSource database;

	private Fence fence;

	@AfterEach
	void close() {
		this.fence.close();
	}

	@ParameterizedTest
	@CsvSource({ "POSTGRESQL, READ_COMMITTED", "POSTGRESQL, REPEATABLE_READ", "POSTGRESQL, SERIALIZABLE",
			"MARIADB, READ_COMMITTED", "MARIADB, REPEATABLE_READ", "H2, READ_COMMITTED", "H2, REPEATABLE_READ",
			"H2, SERIALIZABLE" })
	void plainSelectLetsAStaleWritePass(TestDatabase kind, Isolation isolation) throws Exception {
		start(kind);
		try (Connection stale = begin(isolation)) {
			execute(stale, "insert into written values (7)");
			assertThat(epoch(stale, "select epoch from leader_fence where role = 'role'")).isEqualTo(7);
			this.fence.raise(this.next.leadership(), "store");
			stale.commit();
		}
		assertThat(written()).as("stale writes").isEqualTo(1);
	}

	@ParameterizedTest
	@CsvSource({ "POSTGRESQL, READ_COMMITTED", "POSTGRESQL, REPEATABLE_READ", "MARIADB, READ_COMMITTED",
			"H2, READ_COMMITTED", "H2, REPEATABLE_READ" })
	void conditionOfAnUpdateThatWaitsForItsRowLetsAStaleWritePass(TestDatabase kind, Isolation isolation)
			throws Exception {
		start(kind);
		try (Connection blocker = begin(Isolation.READ_COMMITTED); Connection stale = begin(isolation)) {
			execute(blocker, "update account set balance = 0");
			CompletableFuture<Integer> waiting = CompletableFuture.supplyAsync(() -> update(stale,
					"update account set balance = 7 where exists (select 1 from leader_fence where role = 'role' and epoch = 7)"));
			assertThatItWaits(waiting);
			this.fence.raise(this.next.leadership(), "store");
			blocker.rollback();
			assertThat(waiting.get(LONG.toSeconds(), TimeUnit.SECONDS)).isEqualTo(2);
			stale.commit();
		}
		assertThat(balance()).as("written after the raise").isEqualTo(7);
	}

	@ParameterizedTest
	@CsvSource({ "POSTGRESQL, READ_COMMITTED", "POSTGRESQL, REPEATABLE_READ", "POSTGRESQL, SERIALIZABLE" })
	void lockThatTheRaisePassesLetsAStaleWritePass(TestDatabase kind, Isolation isolation) throws Exception {
		start(kind);
		try (Connection stale = begin(isolation)) {
			execute(stale, "insert into written values (7)");
			assertThat(epoch(stale, "select epoch from leader_fence where role = 'role' for key share")).isEqualTo(7);
			this.fence.raise(this.next.leadership(), "store");
			stale.commit();
		}
		assertThat(written()).as("stale writes").isEqualTo(1);
	}

	@ParameterizedTest
	@CsvSource({ "POSTGRESQL, REPEATABLE_READ", "POSTGRESQL, SERIALIZABLE" })
	void lockThatIsNotOnTheRowReadsAnOldEpoch(TestDatabase kind, Isolation isolation) throws Exception {
		start(kind);
		try (Connection stale = begin(isolation)) {
			execute(stale, "insert into written values (7)");
			this.fence.raise(this.next.leadership(), "store");
			execute(stale, "select pg_advisory_xact_lock_shared(1)");
			assertThat(epoch(stale, "select epoch from leader_fence where role = 'role'")).isEqualTo(7);
			stale.commit();
		}
		assertThat(written()).as("stale writes").isEqualTo(1);
	}

	@ParameterizedTest
	@CsvSource({ "POSTGRESQL, READ_COMMITTED", "MARIADB, READ_COMMITTED", "H2, READ_COMMITTED" })
	void epochInTheRowsThemselvesLetsStaleInsertsPass(TestDatabase kind, Isolation isolation) throws Exception {
		start(kind);
		try (Connection leader = begin(isolation)) {
			this.fence.raise(this.next.leadership(), "store");
			execute(leader, "update account set epoch = 8 where id = 1 and epoch <= 8");
			leader.commit();
		}
		try (Connection stale = begin(isolation)) {
			assertThat(update(stale, "update account set epoch = 7 where id = 1 and epoch <= 7")).isZero();
			// What the new leader has not touched, and what is new, has no later epoch.
			assertThat(update(stale, "update account set epoch = 7 where id = 2 and epoch <= 7")).isEqualTo(1);
			execute(stale, "insert into written values (7)");
			stale.commit();
		}
		assertThat(written()).as("stale writes").isEqualTo(1);
	}

	@ParameterizedTest
	@CsvSource({ "POSTGRESQL, READ_COMMITTED", "POSTGRESQL, REPEATABLE_READ", "POSTGRESQL, SERIALIZABLE",
			"MARIADB, READ_COMMITTED", "MARIADB, REPEATABLE_READ", "MARIADB, SERIALIZABLE", "H2, READ_COMMITTED",
			"H2, REPEATABLE_READ", "H2, SERIALIZABLE" })
	void checkOfTheFenceKeepsTheRaiseOutUntilTheCommit(TestDatabase kind, Isolation isolation) throws Exception {
		start(kind);
		try (Connection first = begin(isolation)) {
			execute(first, "insert into written values (7)");
			this.fence.check().check(first, this.old);
			CompletableFuture<Void> raise = CompletableFuture
				.runAsync(() -> this.fence.raise(this.next.leadership(), "store"));
			assertThatItWaits(raise);
			first.commit();
			raise.get(LONG.toSeconds(), TimeUnit.SECONDS);
		}
		assertThat(written()).isEqualTo(1);
		try (Connection late = begin(isolation)) {
			execute(late, "insert into written values (7)");
			assertThat(isRefused(late)).isTrue();
			late.rollback();
		}
		assertThat(written()).isEqualTo(1);
	}

	private void start(TestDatabase kind) {
		DriverManagerDataSource made = kind.make();
		this.database = (kind == TestDatabase.H2) ? MemoryDatabases.waiting(made, LONG) : made;
		this.fence = new Fence("db", this.database, this.database,
				TestFence.settings("test", "leader_", SchemaInitialization.ALWAYS, LONG, LONG), (role) -> true);
		this.fence.prepare();
		this.fence.raise(this.old.leadership(), "store");
		JdbcTemplate jdbc = new JdbcTemplate(this.database);
		jdbc.execute("create table written (epoch bigint not null)");
		jdbc.execute("create table account (id int primary key, balance int not null, epoch bigint not null)");
		jdbc.update("insert into account values (1, 100, 0)");
		jdbc.update("insert into account values (2, 100, 0)");
	}

	private Connection begin(Isolation isolation) throws SQLException {
		Connection connection = this.database.getConnection();
		connection.setTransactionIsolation(isolation.level);
		connection.setAutoCommit(false);
		return connection;
	}

	private boolean isRefused(Connection connection) {
		try {
			this.fence.check().check(connection, this.old);
			return false;
		}
		catch (SQLException | RuntimeException ex) {
			return true;
		}
	}

	private long written() {
		return new JdbcTemplate(this.database).queryForObject("select count(*) from written", Long.class);
	}

	private long balance() {
		return new JdbcTemplate(this.database).queryForObject("select balance from account where id = 1", Long.class);
	}

	private static void assertThatItWaits(CompletableFuture<?> future) throws Exception {
		try {
			future.get(300, TimeUnit.MILLISECONDS);
		}
		catch (TimeoutException ex) {
			return;
		}
		throw new AssertionError("It did not wait");
	}

	private static long epoch(Connection connection, String query) throws SQLException {
		try (Statement statement = connection.createStatement(); ResultSet row = statement.executeQuery(query)) {
			assertThat(row.next()).isTrue();
			return row.getLong(1);
		}
	}

	private static void execute(Connection connection, String sql) throws SQLException {
		try (Statement statement = connection.createStatement()) {
			statement.execute(sql);
		}
	}

	private static int update(Connection connection, String sql) {
		try (Statement statement = connection.createStatement()) {
			return statement.executeUpdate(sql);
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	enum Isolation {

		READ_COMMITTED(Connection.TRANSACTION_READ_COMMITTED),

		REPEATABLE_READ(Connection.TRANSACTION_REPEATABLE_READ),

		SERIALIZABLE(Connection.TRANSACTION_SERIALIZABLE);

		private final int level;

		Isolation(int level) {
			this.level = level;
		}

	}

}
