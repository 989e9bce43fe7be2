package io.leaderstarter.fencing;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

import io.leaderstarter.testsupport.PostgresServer;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link FencedTransactions} on PostgreSQL.
 */
class PostgreSqlFencedTransactionsTests extends FencedTransactionsContractTests {

	@Override
	DriverManagerDataSource newDatabase() {
		return PostgresServer.newDatabase();
	}

	@Override
	void keepBusy(Connection connection) throws SQLException {
		connection.createStatement().execute("set local idle_in_transaction_session_timeout = 0");
	}

	@Test
	void processThatFreezesAfterItsCheckHoldsItsSuccessorUpNoLongerThanTheIdleTimeout() throws Exception {
		try (Connection frozen = this.database.getConnection()) {
			frozen.setAutoCommit(false);
			frozen.createStatement().executeUpdate("insert into written values (7)");
			this.fence.check(frozen, this.old);
			long start = System.nanoTime();
			this.fence.raise(this.next.leadership(), STORE);
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(IDLE_TIMEOUT.dividedBy(2), RAISE_TIMEOUT);
			assertThatExceptionOfType(SQLException.class).isThrownBy(frozen::commit);
		}
		assertThat(written()).isZero();
	}

	@Test
	void sessionThatHoldsARaiseUpIsNamed() throws Exception {
		try (Connection connection = this.database.getConnection()) {
			connection.setAutoCommit(false);
			this.fence.check(connection, this.old);
			keepBusy(connection);
			int pid = connection.unwrap(PGConnection.class).getBackendPID();
			assertThatExceptionOfType(FenceException.class)
				.isThrownBy(() -> this.fence.raise(this.next.leadership(), STORE))
				.withMessageContaining("Held up by pid " + pid);
			connection.rollback();
		}
	}

	@Test
	void idleTimeoutEndsWithTheTransaction() throws Exception {
		try (Connection connection = this.database.getConnection()) {
			connection.setAutoCommit(false);
			this.fence.check(connection, this.old);
			connection.commit();
			try (var setting = connection.createStatement()
				.executeQuery("select current_setting('idle_in_transaction_session_timeout')")) {
				setting.next();
				assertThat(setting.getString(1)).isEqualTo("0");
			}
		}
	}

}
