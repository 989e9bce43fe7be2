package io.leaderstarter.fencing;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

import io.leaderstarter.jdbc.LeaderSchemaException;
import io.leaderstarter.testsupport.PauseWatch;
import io.leaderstarter.testsupport.PostgresServer;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link FencedTransactions} on PostgreSQL.
 */
class PostgreSqlFencedTransactionsTests extends FencedTransactionsContractTests {

	@Override
	DriverManagerDataSource newDatabase() {
		return PostgresServer.newDatabase();
	}

	@Test
	void processThatIsPausedAfterItsCheckHoldsItsSuccessorUpNoLongerThanTheIdleTimeout() throws Exception {
		Duration idleTimeout = Duration.ofSeconds(1);
		try (Connection frozen = this.database.getConnection();
				Fence strict = fence(this.database, RAISE_TIMEOUT, idleTimeout);
				PauseWatch watch = new PauseWatch()) {
			frozen.setAutoCommit(false);
			frozen.createStatement().executeUpdate("insert into written values (7)");
			long start = System.nanoTime();
			strict.check().check(frozen, this.old);
			strict.raise(this.next.leadership(), STORE);
			long ended = System.nanoTime();
			assertThat(Duration.ofNanos(ended - start)).isGreaterThanOrEqualTo(idleTimeout.dividedBy(2));
			watch.assertTookLessThan(idleTimeout.multipliedBy(4), start, ended);
			assertThatExceptionOfType(SQLException.class).isThrownBy(frozen::commit);
		}
		assertThat(written()).isZero();
	}

	@Test
	void sessionThatHoldsARaiseUpIsNamed() throws Exception {
		// The server must not end the transaction that holds the raise up, however slow
		// the machine is.
		try (Connection connection = this.database.getConnection();
				Fence impatient = fence(this.database, IMPATIENCE, PATIENCE.multipliedBy(10))) {
			connection.setAutoCommit(false);
			impatient.check().check(connection, this.old);
			int pid = connection.unwrap(PGConnection.class).getBackendPID();
			// After a pause the driver may give up before the server reports that it
			// waited.
			await().atMost(PATIENCE)
				.untilAsserted(() -> assertThatExceptionOfType(FenceBlockedException.class)
					.isThrownBy(() -> impatient.raise(this.next.leadership(), STORE))
					.withMessageContaining("Held up by pid " + pid));
			connection.rollback();
		}
	}

	@Test
	void idleTimeoutEndsWithTheTransaction() throws Exception {
		try (Connection connection = this.database.getConnection()) {
			connection.setAutoCommit(false);
			this.fence.check().check(connection, this.old);
			connection.commit();
			try (var setting = connection.createStatement()
				.executeQuery("select current_setting('idle_in_transaction_session_timeout')")) {
				setting.next();
				assertThat(setting.getString(1)).isEqualTo("0");
			}
		}
	}

	@Test
	void rightsOnTheTableOfRunsAreTriedWhenItIsPrepared() {
		this.fence.keepLastRuns();
		DriverManagerDataSource user = PostgresServer.asUser(this.database, "tick_user");
		JdbcTemplate owner = new JdbcTemplate(this.database);
		owner.execute("grant select, insert, update on leader_fence to tick_user");
		owner.execute("grant select, insert on leader_last_run to tick_user");
		try (Fence limited = fence(user, RAISE_TIMEOUT, RAISE_TIMEOUT)) {
			assertThatExceptionOfType(LeaderSchemaException.class).isThrownBy(limited::keepLastRuns)
				.withMessageContaining("may not update in the table leader_last_run");
		}
	}

}
