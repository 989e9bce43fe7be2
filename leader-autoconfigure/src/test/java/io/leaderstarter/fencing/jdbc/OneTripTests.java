package io.leaderstarter.fencing.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.leaderstarter.ActiveTerm;
import io.leaderstarter.LeaderContext;
import io.leaderstarter.StaleLeaderException;
import io.leaderstarter.fencing.Fence;
import io.leaderstarter.fencing.FencedTransactions;
import io.leaderstarter.fencing.Fences;
import io.leaderstarter.fencing.TestFence;
import io.leaderstarter.fencing.RecordedChecks;
import io.leaderstarter.jdbc.SchemaInitialization;
import io.leaderstarter.testsupport.FaultProxy;
import io.leaderstarter.testsupport.PostgresServer;
import io.leaderstarter.testsupport.TestTerm;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.SimpleJdbcCall;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link OneTrip}: a statement and its check in one round trip on PostgreSQL.
 */
class OneTripTests {

	private final TestTerm old = new TestTerm("it's a \\role?", 7);

	private final TestTerm next = new TestTerm("it's a \\role?", 8);

	private final DriverManagerDataSource database = PostgresServer.newDatabase();

	private final FaultProxy proxy = new FaultProxy(PostgresServer.port());

	private SingleConnectionDataSource connection;

	private Fence fence;

	private FencedJdbcTemplate jdbc;

	@BeforeEach
	void start() {
		connect("");
		this.jdbc.unfenced().execute("create table written (id int primary key, name text)");
		this.jdbc.unfenced().update("insert into written values (1, 'one'), (2, 'two')");
		TestFence.prepare(this.fence);
		TestFence.raise(this.fence, this.old.leadership(), "store");
	}

	@AfterEach
	void stop() {
		this.connection.destroy();
		this.fence.close();
		this.proxy.close();
	}

	@Test
	void statementAndItsCheckTakeOneRoundTrip() {
		call(this.old, () -> {
			// More often than the driver needs to prepare a statement on the server.
			for (int time = 0; time < 12; time++) {
				String name = "name " + time;
				assertThat(trips(() -> assertThat(update(name)).isEqualTo(1))).isEqualTo(1);
				assertThat(trips(() -> assertThat(
						this.jdbc.queryForObject("select name from written where id = ?", String.class, 1))
					.isEqualTo(name))).isEqualTo(1);
			}
			assertThat(trips(() -> assertThat(this.jdbc.update("update written set name = 'x'")).isEqualTo(2)))
				.isEqualTo(1);
			assertThat(trips(() -> assertThat(this.jdbc.queryForList("select * from written -- all")).hasSize(2)))
				.isEqualTo(1);
			assertThat(trips(() -> this.jdbc.execute("delete from written"))).isEqualTo(1);
		});
		assertThat(this.jdbc.unfenced().queryForList("select * from written")).isEmpty();
	}

	@Test
	void transactionOfFiveStatementsTakesOneRoundTripMore() {
		Fences fences = new Fences(List.of(this.fence), true, List.of());
		DataSourceTransactionManager manager = new DataSourceTransactionManager(this.connection);
		new FencedTransactions(() -> fences).attach(manager, "manager");
		Runnable work = () -> new TransactionTemplate(manager).executeWithoutResult((status) -> {
			for (int statement = 0; statement < 5; statement++) {
				this.jdbc.unfenced().update("update written set name = 'x' where id = ?", statement);
			}
		});
		assertThat(trips(work)).isEqualTo(6);
		call(this.old, () -> assertThat(trips(work)).isEqualTo(7));
	}

	@Test
	void transactionOfFiveStatementsTakesNoneMoreIfItsManagerOnlyCommits() {
		Fences fences = new Fences(List.of(this.fence), true, List.of());
		JdbcTransactionManager manager = new JdbcTransactionManager(this.connection);
		new FencedTransactions(() -> fences).attach(manager, "manager");
		Runnable work = () -> new TransactionTemplate(manager).executeWithoutResult((status) -> {
			for (int statement = 0; statement < 5; statement++) {
				this.jdbc.unfenced().update("update written set name = 'x' where id = ?", statement);
			}
		});
		for (int time = 0; time < 12; time++) {
			assertThat(trips(work)).isEqualTo(6);
			call(this.old, () -> assertThat(trips(work)).isEqualTo(6));
		}
		// A later listener may throw, so the check must not commit.
		manager.addListener(new TransactionExecutionListener() {
		});
		call(this.old, () -> assertThat(trips(work)).isEqualTo(7));
		assertThat(names()).containsExactly("x", "x");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "&preferQueryMode=simple", "&preferQueryMode=extendedForPrepared",
			"&preferQueryMode=extendedCacheEverything", "&prepareThreshold=1", "&prepareThreshold=-1",
			"&autosave=always", "&autosave=always&cleanupSavepoints=true", "&autosave=conservative",
			"&autosave=conservative&cleanupSavepoints=true", "&defaultRowFetchSize=1",
			"&preparedStatementCacheQueries=0", "&raiseExceptionOnSilentRollback=false", "&binaryTransfer=false" })
	void transactionIsCheckedWithAllSettingsOfTheDriver(String settings) {
		connect(settings);
		Fences fences = new Fences(List.of(this.fence), true, List.of());
		JdbcTransactionManager manager = new JdbcTransactionManager(this.connection);
		new FencedTransactions(() -> fences).attach(manager, "manager");
		TransactionTemplate transaction = new TransactionTemplate(manager);
		JdbcTemplate plain = this.jdbc.unfenced();
		for (int time = 0; time < 7; time++) {
			String name = "before " + time;
			call(this.old, () -> transaction.executeWithoutResult((status) -> {
				plain.update("update written set name = ?", name);
				assertThat(plain.queryForList("select * from written")).hasSize(2);
			}));
			assertThat(names()).containsExactly(name, name);
		}
		TestFence.raise(this.fence, this.next.leadership(), "store");
		for (int time = 0; time < 7; time++) {
			refuses(() -> transaction
				.executeWithoutResult((status) -> plain.update("update written set name = 'after'")));
			assertThat(names()).containsExactly("before 6", "before 6");
		}
		call(this.next,
				() -> transaction.executeWithoutResult((status) -> plain.update("update written set name = 'next'")));
		assertThat(names()).containsExactly("next", "next");
	}

	@Test
	void storedProceduresAndFunctionsAreChecked() {
		this.jdbc.unfenced().execute("create procedure rename(text) language sql as 'update written set name = $1'");
		this.jdbc.unfenced()
			.execute(
					"create function renamed(n text) returns int language sql as 'update written set name = n; select 1'");
		SimpleJdbcCall function = new SimpleJdbcCall(this.jdbc).withFunctionName("renamed");
		call(this.old, () -> {
			this.jdbc.update("call rename('called')");
			assertThat(names()).containsOnly("called");
			assertThat(function.executeFunction(Integer.class, Map.of("n", "function"))).isEqualTo(1);
			assertThat(names()).containsOnly("function");
			this.jdbc.queryForObject("select renamed('selected')", Integer.class);
			assertThat(names()).containsOnly("selected");
		});
		TestFence.raise(this.fence, this.next.leadership(), "store");
		refuses(() -> this.jdbc.update("call rename('stale')"));
		refuses(() -> function.executeFunction(Integer.class, Map.of("n", "stale")));
		refuses(() -> this.jdbc.queryForObject("select renamed('stale')", Integer.class));
		assertThat(names()).containsOnly("selected");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "&preferQueryMode=simple", "&preferQueryMode=extendedForPrepared",
			"&preferQueryMode=extendedCacheEverything", "&prepareThreshold=1", "&prepareThreshold=-1",
			"&autosave=always", "&reWriteBatchedInserts=true", "&assumeMinServerVersion=9.0", "&binaryTransfer=false" })
	void staleWriteIsRefusedWithAllSettingsOfTheDriver(String settings) {
		connect(settings);
		call(this.old, () -> {
			for (int time = 0; time < 7; time++) {
				assertThat(update("before")).isEqualTo(1);
				assertThat(this.jdbc.queryForList("update written set name = 'before' returning *")).hasSize(2);
			}
		});
		TestFence.raise(this.fence, this.next.leadership(), "store");
		refuses(() -> update("after"));
		refuses(() -> this.jdbc.update("update written set name = 'after'"));
		refuses(() -> this.jdbc.execute("update written set name = 'after'"));
		refuses(() -> this.jdbc.queryForList("update written set name = 'after' returning *"));
		refuses(() -> this.jdbc.queryForList("update written set name = ? returning *", "after"));
		refuses(() -> this.jdbc.batchUpdate("update written set name = ?",
				List.<Object[]>of(new Object[] { "after" })));
		assertThat(names()).containsOnly("before");
		call(this.next, () -> assertThat(update("later")).isEqualTo(1));
	}

	@Test
	void rowsThatAreTooWideForTheDriverToSendTheirCheckAlongAreCheckedBeforeTheyCommit() {
		String wide = "repeat('x', 60)::name, ".repeat(1100);
		String sql = "update written set name = 'after' returning %s 1 as last".formatted(wide);
		call(this.old, () -> {
			for (int time = 0; time < 7; time++) {
				assertThat(rows(sql)).isEqualTo(2);
			}
		});
		this.jdbc.unfenced().update("update written set name = 'before'");
		TestFence.raise(this.fence, this.next.leadership(), "store");
		refuses(() -> rows(sql));
		assertThat(names()).containsOnly("before");
	}

	@Test
	void statementThatWaitsForARowIsRefusedIfTheFenceWasRaisedMeanwhile() throws Exception {
		try (Connection blocker = this.database.getConnection()) {
			blocker.setAutoCommit(false);
			blocker.createStatement().executeUpdate("update written set name = 'blocker'");
			CompletableFuture<Void> stale = CompletableFuture.runAsync(() -> refuses(() -> update("after")));
			await().until(() -> !new JdbcTemplate(this.database)
				.queryForList("select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like 'update%' "
						+ "and datname = current_database()")
				.isEmpty());
			// It does not wait for the stale statement.
			TestFence.raise(this.fence, this.next.leadership(), "store");
			blocker.commit();
			stale.get(10, TimeUnit.SECONDS);
		}
		assertThat(names()).containsOnly("blocker");
	}

	@Test
	void statementThatFailsLeavesNoTransactionOpen() {
		call(this.old, () -> {
			assertThatExceptionOfType(BadSqlGrammarException.class)
				.isThrownBy(() -> this.jdbc.update("update nowhere"));
			assertThatExceptionOfType(DataAccessException.class)
				.isThrownBy(() -> this.jdbc.update("insert into written values (1, 'again')"));
			assertThat(update("fine")).isEqualTo(1);
		});
		assertThat(names()).contains("fine");
	}

	@Test
	void statementThatHidesItsCheckIsNotCommitted() {
		call(this.old, () -> {
			for (String open : List.of("/* open", "'open", "\"open", "$$open")) {
				assertThatExceptionOfType(DataAccessException.class)
					.isThrownBy(() -> this.jdbc.update("update written set name = 'hidden' where name <> '' " + open));
			}
		});
		assertThat(names()).containsExactlyInAnyOrder("one", "two");
	}

	@Test
	void whatIsAskedOfTheStatementIsAboutWhatWasWritten() {
		call(this.old, () -> this.jdbc.execute((ConnectionCallback<Void>) (jdbc) -> {
			try (PreparedStatement statement = jdbc.prepareStatement("update written set name = ? where id = ?")) {
				statement.setString(1, "asked");
				assertThat(statement.getParameterMetaData().getParameterCount()).isEqualTo(2);
				statement.setInt(2, 1);
				assertThat(statement.executeUpdate()).isEqualTo(1);
			}
			try (PreparedStatement statement = jdbc.prepareStatement("select name from written where id = ?")) {
				assertThat(statement.getMetaData().getColumnCount()).isEqualTo(1);
				statement.setInt(1, 1);
				try (ResultSet rows = statement.executeQuery()) {
					assertThat(rows.next()).isTrue();
					assertThat(rows.getString(1)).isEqualTo("asked");
				}
			}
			return null;
		}));
	}

	@Test
	void resultsAreThoseOfTheStatementAlone() {
		call(this.old, () -> this.jdbc.execute((ConnectionCallback<Void>) (jdbc) -> {
			try (Statement statement = jdbc.createStatement()) {
				assertThat(statement.execute("select name from written")).isTrue();
				assertThat(statement.getUpdateCount()).isEqualTo(-1);
				try (ResultSet rows = statement.getResultSet()) {
					assertThat(rows.next()).isTrue();
				}
				assertThat(statement.getMoreResults()).isFalse();
				assertThat(statement.getUpdateCount()).isEqualTo(-1);
				assertThat(statement.getResultSet()).isNull();
				assertThat(statement.execute("update written set name = 'y'")).isFalse();
				assertThat(statement.getLargeUpdateCount()).isEqualTo(2);
				assertThat(statement.getMoreResults()).isFalse();
				assertThat(statement.getUpdateCount()).isEqualTo(-1);
				assertThatExceptionOfType(SQLException.class).isThrownBy(() -> statement.executeUpdate("select 1"));
				assertThatExceptionOfType(SQLException.class)
					.isThrownBy(() -> statement.executeQuery("update written set name = 'z'"));
			}
			return null;
		}));
	}

	@Test
	void statementOfOneCallThatIsUsedInAnotherIsCheckedForThatOne() {
		TestTerm other = new TestTerm("other", 3);
		TestFence.raise(this.fence, other.leadership(), "store");
		call(this.old, () -> this.jdbc.execute((ConnectionCallback<Void>) (jdbc) -> {
			try (PreparedStatement statement = jdbc.prepareStatement("update written set name = ?")) {
				statement.setString(1, "first");
				call(other, () -> assertThat(executeUpdate(statement)).isEqualTo(2));
				TestFence.raise(this.fence, new TestTerm("other", 4).leadership(), "store");
				statement.setString(1, "second");
				assertThatExceptionOfType(StaleLeaderException.class)
					.isThrownBy(() -> call(other, () -> executeUpdate(statement)));
				assertThat(executeUpdate(statement)).isEqualTo(2);
			}
			return null;
		}));
		assertThat(names()).containsOnly("second");
	}

	@Test
	void statementOfATermThatIsOverServesTheNextTerm() {
		call(this.old, () -> this.jdbc.execute((ConnectionCallback<Void>) (jdbc) -> {
			try (PreparedStatement statement = jdbc.prepareStatement("update written set name = ?")) {
				statement.setString(1, "later");
				this.old.end();
				TestFence.raise(this.fence, this.next.leadership(), "store");
				assertThatExceptionOfType(StaleLeaderException.class).isThrownBy(() -> executeUpdate(statement));
				// A thread that is not in the call.
				CompletableFuture
					.runAsync(() -> call(this.next, () -> assertThat(executeUpdate(statement)).isEqualTo(2)))
					.join();
			}
			return null;
		}));
		assertThat(names()).containsOnly("later");
	}

	@Test
	void preparedStatementThatBecomesABatchKeepsItsParameters() {
		call(this.old, () -> this.jdbc.execute((ConnectionCallback<Void>) (jdbc) -> {
			try (PreparedStatement statement = jdbc.prepareStatement("insert into written values (?, ?)")) {
				for (int id = 10; id < 13; id++) {
					statement.setInt(1, id);
					statement.setNull(2, Types.VARCHAR);
					statement.addBatch();
				}
				assertThat(statement.executeBatch()).hasSize(3);
			}
			return null;
		}));
		assertThat(names()).hasSize(5);
	}

	@Test
	void noCheckIsSentForATermThatIsOverByTheClockOfTheMember() {
		this.old.end();
		assertThat(trips(() -> refuses(() -> update("after")))).isZero();
	}

	@Test
	void listenersAreNotifiedOfChecksThatAreSentWithTheirStatement() {
		RecordedChecks recorded = RecordedChecks.of(this.fence);
		call(this.old, () -> update("before"));
		assertThat(recorded.next()).containsExactly("checked, trip STATEMENT");
		TestFence.raise(this.fence, this.next.leadership(), "store");
		refuses(() -> update("after"));
		assertThat(recorded.next()).containsExactlyInAnyOrder("checked, trip STATEMENT", "refused epoch 7 by FENCE");
		this.old.end();
		refuses(() -> update("after"));
		assertThat(recorded.next()).containsExactly("refused epoch 7 by MEMBER");
	}

	private void connect(String settings) {
		if (this.connection != null) {
			this.connection.destroy();
			this.fence.close();
		}
		DriverManagerDataSource proxied = PostgresServer.with(PostgresServer.through(this.database, this.proxy.port()),
				"ApplicationName=test" + settings);
		this.connection = new SingleConnectionDataSource(proxied.getUrl(), true);
		this.fence = new Fence("db", this.connection, this.database, TestFence.settings("te'st", "leader_",
				SchemaInitialization.ALWAYS, Duration.ofSeconds(2), Duration.ofSeconds(10)), (role) -> true);
		TestFence.prepare(this.fence);
		Fences fences = new Fences(List.of(this.fence), true, List.of());
		this.jdbc = new FencedJdbcTemplate(new JdbcTemplate(this.connection), () -> fences);
	}

	private int update(String name) {
		return this.jdbc.update("update written set name = ? where id = 1 -- the first", name);
	}

	private int rows(String sql) {
		return this.jdbc.query(sql, (row, number) -> row.getInt("last")).size();
	}

	private List<String> names() {
		return new JdbcTemplate(this.database).queryForList("select name from written", String.class);
	}

	private int trips(Runnable work) {
		int before = this.proxy.roundTrips();
		work.run();
		return this.proxy.roundTrips() - before;
	}

	private void refuses(Runnable work) {
		assertThatExceptionOfType(StaleLeaderException.class).isThrownBy(() -> call(this.old, work));
	}

	private static int executeUpdate(PreparedStatement statement) {
		try {
			return statement.executeUpdate();
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static void call(ActiveTerm term, Runnable work) {
		try (LeaderContext.Scope scope = LeaderContext.open(term)) {
			assertThat(scope).isNotNull();
			work.run();
		}
	}

}
