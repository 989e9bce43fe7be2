package io.leaderstarter.fencing;

import io.leaderstarter.testsupport.MemoryDatabases;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * Tests for {@link FencedTransactions} on H2.
 */
class H2FencedTransactionsTests extends FencedTransactionsContractTests {

	@Override
	DriverManagerDataSource newDatabase() {
		DriverManagerDataSource database = MemoryDatabases.newH2();
		// H2 cannot cancel what waits for a lock; its own time-out ends the wait.
		database.setUrl(database.getUrl() + ";LOCK_TIMEOUT=1500");
		return database;
	}

}
