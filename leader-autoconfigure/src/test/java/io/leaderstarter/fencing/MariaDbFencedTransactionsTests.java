package io.leaderstarter.fencing;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

import io.leaderstarter.testsupport.MariaDbServer;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link FencedTransactions} on MariaDB.
 */
class MariaDbFencedTransactionsTests extends FencedTransactionsContractTests {

	@Override
	DriverManagerDataSource newDatabase() {
		return MariaDbServer.newDatabase();
	}

	@Test
	void sessionThatHoldsARaiseUpIsNamed() throws Exception {
		try (Connection holder = this.database.getConnection();
				Fence impatient = fence(this.database, IMPATIENCE, RAISE_TIMEOUT)) {
			hold(holder);
			long id = id(holder);
			// After a pause the driver may give up before the server reports that it
			// waited.
			await().atMost(PATIENCE)
				.untilAsserted(() -> assertThatExceptionOfType(FenceBlockedException.class)
					.isThrownBy(() -> impatient.raise(this.next.leadership(), STORE))
					.withMessageContaining("Held up by maybe connection %d (user root".formatted(id)));
			holder.rollback();
		}
	}

	@Test
	void userWhoMayNotSeeOtherSessionsIsInformedThatThereIsOne() throws Exception {
		DriverManagerDataSource user = MariaDbServer.asUser(this.database, "member");
		this.jdbc.execute("grant select, insert, update on leader_fence to member@localhost");
		try (Connection holder = this.database.getConnection();
				Fence restricted = fence(user, IMPATIENCE, RAISE_TIMEOUT)) {
			hold(holder);
			await().atMost(PATIENCE)
				.untilAsserted(() -> assertThatExceptionOfType(FenceBlockedException.class)
					.isThrownBy(() -> restricted.raise(this.next.leadership(), STORE))
					.withMessageContaining("If a transaction holds it up, end that transaction")
					.withMessageContaining("PROCESS")
					.satisfies((ex) -> assertThat(ex.sessions()).isEmpty()));
			holder.rollback();
		}
	}

	private void hold(Connection connection) throws SQLException {
		connection.setAutoCommit(false);
		this.fence.check().check(connection, this.old);
	}

	private static long id(Connection connection) throws SQLException {
		try (Statement statement = connection.createStatement();
				ResultSet result = statement.executeQuery("select connection_id()")) {
			result.next();
			return result.getLong(1);
		}
	}

}
