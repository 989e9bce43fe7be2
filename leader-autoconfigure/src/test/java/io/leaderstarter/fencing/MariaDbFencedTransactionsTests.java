package io.leaderstarter.fencing;

import io.leaderstarter.testsupport.MariaDbServer;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * Tests for {@link FencedTransactions} on MariaDB.
 */
class MariaDbFencedTransactionsTests extends FencedTransactionsContractTests {

	@Override
	DriverManagerDataSource newDatabase() {
		return MariaDbServer.newDatabase();
	}

}
