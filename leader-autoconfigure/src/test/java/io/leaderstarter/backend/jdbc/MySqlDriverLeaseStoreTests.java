package io.leaderstarter.backend.jdbc;

import io.leaderstarter.testsupport.MariaDbServer;
import io.leaderstarter.testsupport.FaultProxy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * Tests for {@link JdbcLeaseStore} on MariaDB by the driver of MySQL, which takes it for
 * a MySQL.
 */
@Tag("verify")
class MySqlDriverLeaseStoreTests extends JdbcLeaseStoreContractTests {

	@Override
	DriverManagerDataSource newDatabase() {
		return MariaDbServer.newDatabaseForMySqlDriver();
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
	void grantsAreKnownIfTheDriverRewritesBatches() {
		assertWorksWith(MariaDbServer.with(dataSource(), "rewriteBatchedStatements=true"));
	}

	@Test
	void grantsAreKnownWithStatementsThatTheServerPrepares() {
		assertWorksWith(MariaDbServer.with(dataSource(), "useServerPrepStmts=true&useAffectedRows=true"));
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
