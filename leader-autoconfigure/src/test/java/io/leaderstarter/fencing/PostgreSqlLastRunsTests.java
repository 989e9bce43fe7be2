package io.leaderstarter.fencing;

import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.leaderstarter.jdbc.SchemaInitialization;
import io.leaderstarter.testsupport.PostgresServer;
import io.leaderstarter.testsupport.TestTerm;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the connection of last runs.
 */
class PostgreSqlLastRunsTests {

	private static final Duration HOUR = Duration.ofHours(1);

	/** Longer than a machine is paused. */
	private static final Duration LONG = Duration.ofSeconds(30);

	private final TestTerm term = new TestTerm("role", 7);

	private final TestTerm other = new TestTerm("other", 7);

	private final DriverManagerDataSource database = PostgresServer.newDatabase();

	private final JdbcTemplate jdbc = new JdbcTemplate(this.database);

	private final Fence fence = new Fence("db", this.database, this.database,
			TestFence.settings("test", "leader_", SchemaInitialization.ALWAYS, LONG.multipliedBy(4), LONG),
			(role) -> true);

	private final FencedLastRuns lastRuns = new FencedLastRuns(new Fences(List.of(this.fence), true, List.of()));

	@BeforeEach
	void raise() {
		this.lastRuns.require("role");
		this.fence.prepare();
		this.fence.raise(this.term.leadership(), "store");
		this.fence.raise(this.other.leadership(), "store");
	}

	@AfterEach
	void close() {
		this.fence.close();
	}

	@Test
	void raiseThatWaitsDoesNotKeepRunsOfOtherRolesWaiting() throws Exception {
		CompletableFuture<Void> raise;
		try (Connection slow = this.database.getConnection()) {
			slow.setAutoCommit(false);
			try (Statement statement = slow.createStatement()) {
				statement.execute("select * from leader_fence where role = 'other' for share");
			}
			raise = CompletableFuture.runAsync(() -> this.fence.raise(new TestTerm("other", 8).leadership(), "store"),
					this::start);
			await().atMost(LONG).until(() -> sessions("wait_event_type = 'Lock'") == 1);
			CompletableFuture<Boolean> run = CompletableFuture
				.supplyAsync(() -> this.lastRuns.begin(this.term, "task", HOUR), this::start);
			assertThat(run).succeedsWithin(LONG).isEqualTo(true);
			assertThat(raise).isNotDone();
			slow.rollback();
		}
		assertThat(raise).succeedsWithin(LONG);
	}

	@Test
	void connectionIsOpenedForTheFirstRunAndReleasedWhenTheElectionsStop() {
		await().atMost(LONG).until(() -> sessions("true") == 1);
		this.lastRuns.begin(this.term, "task", HOUR);
		await().atMost(LONG).until(() -> sessions("true") == 2);
		this.lastRuns.begin(this.term, "another task", HOUR);
		await().atMost(LONG).until(() -> sessions("true") == 2);
		this.fence.disconnect();
		await().atMost(LONG).until(() -> sessions("true") == 0);
		assertThat(this.lastRuns.begin(this.term, "task", HOUR)).isFalse();
		await().atMost(LONG).until(() -> sessions("true") == 1);
		this.fence.close();
		await().atMost(LONG).until(() -> sessions("true") == 0);
	}

	private void start(Runnable work) {
		new Thread(work).start();
	}

	private int sessions(String condition) {
		Integer found = this.jdbc.queryForObject(
				"select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and "
						+ "backend_type = 'client backend' and " + condition,
				Integer.class);
		return (found != null) ? found : -1;
	}

}
