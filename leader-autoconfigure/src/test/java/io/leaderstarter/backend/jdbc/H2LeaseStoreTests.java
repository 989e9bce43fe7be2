package io.leaderstarter.backend.jdbc;

import io.leaderstarter.testsupport.MemoryDatabases;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * Tests for {@link JdbcLeaseStore} on H2.
 */
class H2LeaseStoreTests extends JdbcLeaseStoreContractTests {

	@Override
	DriverManagerDataSource newDatabase() {
		return MemoryDatabases.newH2();
	}

	@Override
	String platform() {
		return "h2";
	}

	@Override
	String otherSessions() {
		return "select session_id from information_schema.sessions where session_id <> session_id()";
	}

	@Override
	String killSession() {
		return "call abort_session(%d)";
	}

	@Test
	void callThatIsBlockedEndsInTimeAndTheNextOneWorks() throws Exception {
		assertBlockedCallEndsInTimeAndTheNextOneWorks();
	}

}
