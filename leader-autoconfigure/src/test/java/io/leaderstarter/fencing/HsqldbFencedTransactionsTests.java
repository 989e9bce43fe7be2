package io.leaderstarter.fencing;

import io.leaderstarter.testsupport.MemoryDatabases;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * Tests for {@link FencedTransactions} on a database without a dialect, in the mode in
 * which its {@code select … for update} locks nothing.
 */
class HsqldbFencedTransactionsTests extends FencedTransactionsContractTests {

	@Override
	DriverManagerDataSource newDatabase() {
		DriverManagerDataSource database = MemoryDatabases.newHsqldb();
		database.setUrl(database.getUrl() + ";hsqldb.tx=mvcc");
		return database;
	}

}
