package io.leaderstarter.backend.jdbc;

import io.leaderstarter.testsupport.MariaDbServer;
import io.leaderstarter.testsupport.FaultProxy;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * Tests for {@link JdbcLeaseStore} on MariaDB.
 */
@Order(2)
class MariaDbLeaseStoreTests extends JdbcLeaseStoreContractTests {

	@Override
	DriverManagerDataSource newDatabase() {
		return MariaDbServer.newDatabase();
	}

	@Override
	String platform() {
		return "mariadb";
	}

	@Override
	String otherSessions() {
		return "select id from information_schema.processlist where db = database() and id <> connection_id()";
	}

	@Override
	String killSession() {
		return "kill %d";
	}

	@Test
	void grantsAreKnownAlthoughTheDriverDoesNotCountThem() {
		assertWorksWith(MariaDbServer.with(dataSource(), "useBulkStmts=true"));
	}

	@Test
	void grantsAreKnownIfTheDriverCountsOnlyRowsThatChange() {
		assertWorksWith(MariaDbServer.with(dataSource(), "useAffectedRows=true"));
	}

	@Test
	void callThatIsBlockedEndsInTimeAndTheNextOneWorks() throws Exception {
		assertBlockedCallEndsInTimeAndTheNextOneWorks();
	}

	@Test
	void serverThatHangsIsLeftInTimeAndFoundAgain() {
		try (FaultProxy proxy = new FaultProxy(MariaDbServer.port())) {
			assertHangIsLeftInTime(proxy, MariaDbServer.through(dataSource(), proxy.port()));
		}
	}

}
