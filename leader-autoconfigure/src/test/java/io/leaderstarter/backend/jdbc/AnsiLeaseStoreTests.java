package io.leaderstarter.backend.jdbc;

import java.sql.Statement;

import javax.sql.DataSource;

import io.leaderstarter.election.spi.LeaseView;
import io.leaderstarter.election.spi.StoreMember;
import io.leaderstarter.testsupport.AdaptedDataSource;
import io.leaderstarter.testsupport.MemoryDatabases;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link JdbcLeaseStore} on a database without a dialect.
 */
class AnsiLeaseStoreTests extends JdbcLeaseStoreContractTests {

	@Override
	DriverManagerDataSource newDatabase() {
		return MemoryDatabases.newHsqldb();
	}

	@Override
	String platform() {
		return "ansi";
	}

	@Override
	String otherSessions() {
		return "select session_id from information_schema.system_sessions where session_id <> session_id()";
	}

	@Override
	String killSession() {
		return "alter session %d close";
	}

	@Test
	void membersInDifferentTimeZonesReadTheSameClock() {
		StoreMember tokyo = member("tokyo", inTimeZone("9:00"));
		StoreMember newYork = member("new-york", inTimeZone("-5:00"));
		tokyo.take("invoices");
		LeaseView.Expiry expiry = newYork.observe("invoices").owner().expiry();
		assertThat(expiry.remaining()).isBetween(LONG_TTL.minus(PATIENCE), LONG_TTL);
	}

	private DataSource inTimeZone(String offset) {
		return new AdaptedDataSource(dataSource(), (connection) -> {
			try (Statement statement = connection.createStatement()) {
				statement.execute("set time zone interval '%s' hour to minute".formatted(offset));
			}
		});
	}

}
