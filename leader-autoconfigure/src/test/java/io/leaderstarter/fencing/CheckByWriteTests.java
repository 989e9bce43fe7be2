package io.leaderstarter.fencing;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

import io.leaderstarter.StaleLeaderException;
import io.leaderstarter.jdbc.LeaderSchemaException;
import io.leaderstarter.jdbc.SchemaInitialization;
import io.leaderstarter.jdbc.SchemaSettings;
import io.leaderstarter.testsupport.MariaDbServer;
import io.leaderstarter.testsupport.MemoryDatabases;
import io.leaderstarter.testsupport.PostgresServer;
import io.leaderstarter.testsupport.TestTerm;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for checks that write the row of the fence, and for databases that cannot be
 * fenced.
 */
class CheckByWriteTests {

	private static final String STORE = "store-1";

	private static final Duration TIMEOUT = Duration.ofSeconds(30);

	private final TestTerm old = new TestTerm("role", 7);

	private final TestTerm next = new TestTerm("role", 8);

	@ParameterizedTest
	@ValueSource(strings = { "locks", "mvlocks", "mvcc" })
	void raiseWaitsInEveryModeOfADatabaseWithoutADialect(String mode) throws Exception {
		DriverManagerDataSource database = MemoryDatabases.newHsqldb();
		database.setUrl(database.getUrl() + ";hsqldb.tx=" + mode);
		raiseWaits(database, null);
	}

	static Stream<DriverManagerDataSource> databases() {
		return Stream.of(MemoryDatabases.waiting(MemoryDatabases.newH2(), TIMEOUT), MariaDbServer.newDatabase(),
				PostgresServer.newDatabase());
	}

	@ParameterizedTest
	@MethodSource("databases")
	void raiseWaitsForAWriteThatWasAskedFor(DriverManagerDataSource database) throws Exception {
		raiseWaits(database, FenceSettings.CheckBy.WRITE);
	}

	private void raiseWaits(DriverManagerDataSource database, FenceSettings.@Nullable CheckBy checkBy)
			throws Exception {
		try (Fence fence = new Fence("db", database, database, settings(null, checkBy), (role) -> true);
				Connection connection = database.getConnection()) {
			fence.prepare();
			fence.raise(this.old.leadership(), STORE);
			long before = raisedAt(database);
			connection.setAutoCommit(false);
			fence.check().check(connection, this.old);
			CompletableFuture<Void> raise = CompletableFuture
				.runAsync(() -> fence.raise(this.next.leadership(), STORE));
			assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> raise.get(300, TimeUnit.MILLISECONDS));
			connection.rollback();
			raise.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
			assertThatExceptionOfType(StaleLeaderException.class)
				.isThrownBy(() -> fence.check().check(connection, this.old))
				.withMessageContaining("another term leads there");
			connection.rollback();
			fence.check().check(connection, this.next);
			connection.commit();
			assertThat(raisedAt(database)).as("the row was written, not only locked").isGreaterThan(before);
		}
	}

	@Test
	void nothingIsLeftOfTheRehearsal() {
		DriverManagerDataSource database = MemoryDatabases.newHsqldb();
		try (Fence fence = new Fence("db", database, database, settings(null, null), (role) -> true)) {
			fence.prepare();
			assertThat(new JdbcTemplate(database).queryForList("select * from leader_fence")).isEmpty();
		}
	}

	@Test
	void databaseThatCannotBeRaisedIsRefusedByName() {
		// Nothing that this platform assumes of a clock holds there.
		DriverManagerDataSource database = MemoryDatabases.newH2();
		try (Fence fence = new Fence("reports", database, database, settings("ansi", null), (role) -> true)) {
			assertThatExceptionOfType(LeaderSchemaException.class).isThrownBy(fence::prepare)
				.withMessageContaining("The fence in 'reports' cannot be used")
				.withMessageContaining("platform 'ansi'")
				.satisfies((ex) -> assertThat(ex.getAdvice()).contains("leader.schema.platform")
					.contains("leader.fence.data-sources"));
			assertThatExceptionOfType(LeaderSchemaException.class).as("asked again, not taken for prepared")
				.isThrownBy(() -> fence.read(List.of("role")));
		}
	}

	@Test
	void userWhoMayNotRaiseIsRefusedByName() {
		DriverManagerDataSource database = MariaDbServer.newDatabase();
		try (Fence fence = new Fence("db", database, database, settings(null, null), (role) -> true)) {
			fence.prepare();
		}
		DriverManagerDataSource user = MariaDbServer.asUser(database, "reader");
		new JdbcTemplate(database).execute("grant select, insert on leader_fence to reader@localhost");
		try (Fence fence = new Fence("db", user, user, settings(null, null), (role) -> true)) {
			assertThatExceptionOfType(LeaderSchemaException.class).isThrownBy(fence::prepare)
				.satisfies((ex) -> assertThat(ex.getAdvice()).contains("select, insert and update on leader_fence"));
		}
	}

	private static long raisedAt(DriverManagerDataSource database) {
		Long raised = new JdbcTemplate(database)
			.queryForObject("select raised_at_us from leader_fence where role = 'role'", Long.class);
		return (raised != null) ? raised : -1;
	}

	private static FenceSettings settings(@Nullable String platform, FenceSettings.@Nullable CheckBy checkBy) {
		return new FenceSettings("test", null, new SchemaSettings("leader_", SchemaInitialization.ALWAYS, platform),
				TIMEOUT, new FenceSettings.Transactions(TIMEOUT, false, false), checkBy);
	}

}
