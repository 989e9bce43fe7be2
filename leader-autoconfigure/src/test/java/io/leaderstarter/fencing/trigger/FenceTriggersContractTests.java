package io.leaderstarter.fencing.trigger;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.leaderstarter.ActiveTerm;
import io.leaderstarter.fencing.Fence;
import io.leaderstarter.fencing.TestFence;
import io.leaderstarter.jdbc.JdbcDialects;
import io.leaderstarter.jdbc.LeaderSchemaException;
import io.leaderstarter.jdbc.SchemaInitialization;
import io.leaderstarter.testsupport.TestTerm;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * What must hold for guarded tables on every database that can guard them. The clients
 * here are plain JDBC and know nothing of this library.
 */
abstract class FenceTriggersContractTests {

	static final String STORE = "store-1";

	private static final String NAMESPACE = "test";

	/** Longer than a machine is paused. */
	private static final Duration LONG = Duration.ofSeconds(30);

	final TestTerm old = new TestTerm("invoices", 7);

	final TestTerm next = new TestTerm("invoices", 8);

	final TestTerm other = new TestTerm("reports", 3);

	DriverManagerDataSource database;

	JdbcTemplate jdbc;

	Fence fence;

	FenceTriggers triggers;

	@TempDir
	Path migrations;

	private int version;

	abstract DriverManagerDataSource newDatabase();

	/** Let the present transaction carry terms. */
	abstract void carry(Connection connection, String terms) throws SQLException;

	/** A user who may read and write in the database, but not change what is in it. */
	abstract DriverManagerDataSource writer();

	/** The same name with the quotes of the database. */
	abstract String quoted(String name);

	@BeforeEach
	void start() throws SQLException {
		this.database = newDatabase();
		this.jdbc = new JdbcTemplate(this.database);
		this.fence = new Fence("db", this.database, this.database,
				TestFence.settings(NAMESPACE, "leader_", SchemaInitialization.ALWAYS, LONG, LONG), (role) -> true);
		TestFence.prepare(this.fence);
		TestFence.raise(this.fence, this.old.leadership(), STORE);
		TestFence.raise(this.fence, this.other.leadership(), STORE);
		this.jdbc.execute("create table invoice (id int primary key, note varchar(200))");
		this.jdbc.update("insert into invoice values (1, 'first')");
		this.jdbc.execute("create table unguarded (id int primary key)");
		try (Connection connection = this.database.getConnection()) {
			this.triggers = new FenceTriggers(JdbcDialects.detect(connection, null), "leader_");
		}
		install("invoice");
	}

	@AfterEach
	void stop() {
		this.fence.close();
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "insert into invoice values (2, 'x')", "insert into invoice select id + 1, note from invoice",
					"update invoice set note = 'x'", "delete from invoice" })
	void writeWithoutAnEpochIsRefused(String sql) {
		refused(FenceTriggers.NO_EPOCH, () -> this.jdbc.update(sql));
		assertThat(notes()).containsExactly("first");
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "insert into invoice values (2, 'x')", "update invoice set note = 'x'", "delete from invoice" })
	void writeOfTheTermThatLeadsPassesAndOfOthersDoesNot(String sql) throws SQLException {
		refused(FenceTriggers.STALE_EPOCH, () -> write(sql, this.next));
		refused(FenceTriggers.STALE_EPOCH, () -> write(sql, new TestTerm("invoices", 6)));
		refused(FenceTriggers.STALE_EPOCH, () -> write(sql, new TestTerm("nobody", 7)));
		assertThat(notes()).containsExactly("first");
		write(sql, this.old);
		assertThat(notes()).isNotEqualTo(List.of("first"));
	}

	@Test
	void sameEpochOfAnotherTermIdIsRefused() {
		refused(FenceTriggers.STALE_EPOCH,
				() -> write("insert into invoice values (2, 'x')", new TestTerm("invoices", 7)));
	}

	@Test
	void allTermsHaveToLead() throws SQLException {
		write("insert into invoice values (2, 'x')", this.old, this.other);
		refused(FenceTriggers.STALE_EPOCH, () -> write("insert into invoice values (3, 'x')", this.old, this.next));
		refused(FenceTriggers.STALE_EPOCH,
				() -> write("insert into invoice values (3, 'x')", new TestTerm("reports", 2), this.old));
	}

	@ParameterizedTest
	@ValueSource(strings = { "x", "7", "7\tt", "\n", "\t\t\t", "7\tt\ttest\tinvoices\tx", "seven\tt\ttest\tinvoices",
			"7\tt'\ttest\tinvoices", "7\tt\ttest\trôle" })
	void whatCannotBeReadIsRefused(String terms) throws SQLException {
		try (Connection connection = this.database.getConnection()) {
			connection.setAutoCommit(false);
			carry(connection, terms);
			assertThatExceptionOfType(SQLException.class)
				.isThrownBy(() -> execute(connection, "insert into invoice values (2, 'x')"));
			connection.rollback();
		}
		assertThat(notes()).containsExactly("first");
	}

	@Test
	void linesAfterTheFirstAreReadEvenIfTheyAreEmpty() throws SQLException {
		try (Connection connection = this.database.getConnection()) {
			connection.setAutoCommit(false);
			carry(connection, terms(this.old) + "\n\nx");
			refused(FenceTriggers.STALE_EPOCH, () -> execute(connection, "insert into invoice values (2, 'x')"));
			connection.rollback();
		}
	}

	@Test
	void valueThatAnEarlierTermLeftOnAConnectionIsRefused() throws SQLException {
		try (Connection connection = this.database.getConnection()) {
			connection.setAutoCommit(false);
			carry(connection, terms(this.old));
			execute(connection, "insert into invoice values (2, 'x')");
			connection.commit();
			TestFence.raise(this.fence, this.next.leadership(), STORE);
			assertThatExceptionOfType(SQLException.class)
				.isThrownBy(() -> execute(connection, "insert into invoice values (3, 'x')"))
				.satisfies(
						(ex) -> assertThat(ex.getSQLState()).isIn(FenceTriggers.NO_EPOCH, FenceTriggers.STALE_EPOCH));
			connection.rollback();
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { Connection.TRANSACTION_READ_COMMITTED, Connection.TRANSACTION_REPEATABLE_READ,
			Connection.TRANSACTION_SERIALIZABLE })
	void raiseWaitsForAWriteThatHasPassedAndLaterOnesAreRefused(int isolation) throws Exception {
		try (Connection first = connect(isolation); Connection second = connect(isolation)) {
			carry(first, terms(this.old));
			execute(first, "insert into invoice values (2, 'passed')");
			// Its view of the database is older than the raise.
			carry(second, terms(this.old));
			execute(second, "select count(*) from unguarded");
			CompletableFuture<Void> raise = CompletableFuture
				.runAsync(() -> TestFence.raise(this.fence, this.next.leadership(), STORE));
			assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> raise.get(300, TimeUnit.MILLISECONDS));
			first.commit();
			raise.get(LONG.toSeconds(), TimeUnit.SECONDS);
			assertThatExceptionOfType(SQLException.class)
				.isThrownBy(() -> execute(second, "insert into invoice values (3, 'stale')"))
				.satisfies((ex) -> assertThat(ex.getSQLState()).isIn(FenceTriggers.STALE_EPOCH, "40001"));
			second.rollback();
			carry(second, terms(this.old));
			refused(FenceTriggers.STALE_EPOCH, () -> execute(second, "insert into invoice values (3, 'stale')"));
			second.rollback();
		}
		assertThat(notes()).containsExactly("first", "passed");
		write("insert into invoice values (4, 'next')", this.next);
	}

	@Test
	void writeThatComesWhileARaiseIsUnderWayWaitsAndIsRefused() throws Exception {
		try (Connection raising = this.database.getConnection(); Connection late = this.database.getConnection()) {
			raising.setAutoCommit(false);
			execute(raising, "update leader_fence set epoch = 8 where role = 'invoices'");
			late.setAutoCommit(false);
			carry(late, terms(this.old));
			CompletableFuture<Void> write = CompletableFuture.runAsync(() -> refused(FenceTriggers.STALE_EPOCH,
					() -> execute(late, "insert into invoice values (2, 'stale')")));
			assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> write.get(300, TimeUnit.MILLISECONDS));
			raising.commit();
			write.get(LONG.toSeconds(), TimeUnit.SECONDS);
			late.rollback();
		}
		assertThat(notes()).containsExactly("first");
	}

	@Test
	void installedTriggersAreLeftAloneWithoutALockOnTheTable() throws Exception {
		try (Connection busy = this.database.getConnection()) {
			busy.setAutoCommit(false);
			carry(busy, terms(this.old));
			execute(busy, "insert into invoice values (2, 'x')");
			CompletableFuture.runAsync(() -> install("invoice")).get(LONG.toSeconds(), TimeUnit.SECONDS);
			busy.rollback();
		}
		refused(FenceTriggers.NO_EPOCH, () -> this.jdbc.update("delete from invoice"));
	}

	@Test
	void sixMembersInstallAtOnce() throws Exception {
		uninstall("invoice");
		this.jdbc.execute("create table receipt (id int primary key)");
		CyclicBarrier together = new CyclicBarrier(6);
		ExecutorService members = Executors.newFixedThreadPool(6);
		try {
			List<Future<?>> running = new ArrayList<>();
			for (int member = 0; member < 6; member++) {
				running.add(members.submit(() -> {
					together.await();
					install("invoice");
					install("receipt");
					return null;
				}));
			}
			for (Future<?> one : running) {
				one.get(20, TimeUnit.SECONDS);
			}
		}
		finally {
			members.shutdownNow();
		}
		refused(FenceTriggers.NO_EPOCH, () -> this.jdbc.update("delete from invoice"));
		refused(FenceTriggers.NO_EPOCH, () -> this.jdbc.update("insert into receipt values (1)"));
	}

	@Test
	void uninstalledTableTakesAllWrites() {
		this.jdbc.execute("create table receipt (id int primary key)");
		install("receipt");
		uninstall("invoice");
		uninstall("invoice");
		this.jdbc.update("delete from invoice");
		this.jdbc.execute("truncate table invoice");
		refused(FenceTriggers.NO_EPOCH, () -> this.jdbc.update("insert into receipt values (1)"));
		install("invoice");
		refused(FenceTriggers.NO_EPOCH, () -> this.jdbc.update("insert into invoice values (1, 'x')"));
	}

	@Test
	void scriptDoesTheSameAsAMigration() throws SQLException {
		uninstall("invoice");
		this.jdbc.execute("create table receipt (id int primary key)");
		migrate(this.triggers.installScript("invoice"), this.triggers.installScript("receipt"));
		refused(FenceTriggers.NO_EPOCH, () -> this.jdbc.update("delete from invoice"));
		refused(FenceTriggers.NO_EPOCH, () -> this.jdbc.update("insert into receipt values (1)"));
		write("delete from invoice", this.old);
		install("invoice");
		migrate(this.triggers.uninstallScript("invoice"));
		this.jdbc.update("insert into invoice values (1, 'x')");
	}

	@ParameterizedTest
	@ValueSource(strings = { "Odd Name", "select", "with.dot", "it's", "semi;colon", "back\\slash", "dash--", "é",
			"quote\"s", "tick`s", "a_very_long_name_of_a_table_that_leaves_no_room_for_anything_else" })
	void oddNamesAreGuarded(String name) {
		String kept = (name.length() > 60) ? name.substring(0, 60) : name;
		this.jdbc.execute("create table %s (id int primary key)".formatted(quoted(kept)));
		install(quoted(kept));
		install(quoted(kept));
		refused(FenceTriggers.NO_EPOCH, () -> this.jdbc.update("insert into %s values (1)".formatted(quoted(kept))));
		uninstall(quoted(kept));
		this.jdbc.update("insert into %s values (1)".formatted(quoted(kept)));
	}

	@ParameterizedTest
	@ValueSource(strings = { "invoice; drop table invoice", "invoice'; drop table invoice; --", "invoice'", "invoice\"",
			"invoice`", "invoice` for each row set @x = 1; --", "x$leader$; drop table invoice; do $leader$ begin",
			"in voice", "", ".", "a.b.c.d", "\\" })
	void nameCannotSmuggleInOtherSql(String name) {
		assertThatThrownBy(() -> install(name)).isInstanceOfAny(LeaderSchemaException.class,
				IllegalArgumentException.class);
		assertThat(notes()).containsExactly("first");
	}

	@Test
	void missingTableIsReported() {
		assertThat(exists("invoice")).isTrue();
		assertThat(exists("receipt")).isFalse();
		assertThatExceptionOfType(LeaderSchemaException.class).isThrownBy(() -> install("receipt"))
			.withMessageContaining("receipt");
	}

	@Test
	void whoWritesNeedsNoRightsOnTheFence() throws SQLException {
		DriverManagerDataSource writer = writer();
		assertThatExceptionOfType(SQLException.class)
			.isThrownBy(() -> execute(writer.getConnection(), "select * from leader_fence"));
		refused(FenceTriggers.NO_EPOCH, () -> new JdbcTemplate(writer).update("delete from invoice"));
		try (Connection connection = writer.getConnection()) {
			connection.setAutoCommit(false);
			carry(connection, terms(this.next));
			refused(FenceTriggers.STALE_EPOCH, () -> execute(connection, "delete from invoice"));
			connection.rollback();
			carry(connection, terms(this.old));
			execute(connection, "delete from invoice");
			connection.commit();
		}
		assertThat(notes()).isEmpty();
	}

	@Test
	void userWhoMayNotGuardIsAdvisedToUseAMigration() throws SQLException {
		uninstall("invoice");
		try (Connection connection = writer().getConnection()) {
			assertThatExceptionOfType(LeaderSchemaException.class)
				.isThrownBy(() -> this.triggers.install(connection, "invoice"))
				.withMessageContaining("invoice")
				.satisfies(
						(ex) -> assertThat(ex.getAdvice()).contains("installScript", "leader.schema.initialize=never"));
		}
	}

	final void write(String sql, ActiveTerm... terms) throws SQLException {
		try (Connection connection = this.database.getConnection()) {
			connection.setAutoCommit(false);
			try {
				carry(connection, terms(terms));
				execute(connection, sql);
				connection.commit();
			}
			finally {
				connection.rollback();
			}
		}
	}

	final void install(String table) {
		work((connection) -> this.triggers.install(connection, table));
	}

	final void uninstall(String table) {
		work((connection) -> this.triggers.uninstall(connection, table));
	}

	final boolean exists(String table) {
		try (Connection connection = this.database.getConnection()) {
			return this.triggers.exists(connection, table);
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	final List<String> notes() {
		return this.jdbc.queryForList("select note from invoice order by id", String.class);
	}

	static String terms(ActiveTerm... terms) {
		return TestFence.carried(NAMESPACE, List.of(terms));
	}

	static void execute(Connection connection, String sql) throws SQLException {
		try (Statement statement = connection.createStatement()) {
			statement.execute(sql);
		}
	}

	/** Expects the SQL state, also beneath exceptions of Spring's. */
	static void refused(String state, Work work) {
		assertThatThrownBy(work::run).satisfies((ex) -> {
			Throwable root = ex;
			while (root.getCause() != null && !(root instanceof SQLException)) {
				root = root.getCause();
			}
			assertThat(root).isInstanceOf(SQLException.class);
			assertThat(((SQLException) root).getSQLState()).as(root.toString()).isEqualTo(state);
		});
	}

	private Connection connect(int isolation) throws SQLException {
		Connection connection = this.database.getConnection();
		connection.setTransactionIsolation(isolation);
		connection.setAutoCommit(false);
		return connection;
	}

	private void work(ConnectionWork work) {
		try (Connection connection = this.database.getConnection()) {
			work.run(connection);
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Run scripts as Flyway's migrations. */
	final void migrate(String... scripts) {
		for (String script : scripts) {
			try {
				Files.writeString(this.migrations.resolve("V%d__guard.sql".formatted(++this.version)), script);
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
		Flyway.configure()
			.dataSource(this.database)
			.locations("filesystem:" + this.migrations)
			.baselineOnMigrate(true)
			.baselineVersion("0")
			.load()
			.migrate();
	}

	@FunctionalInterface
	interface Work {

		void run() throws Exception;

	}

	@FunctionalInterface
	interface ConnectionWork {

		void run(Connection connection) throws SQLException;

	}

}
