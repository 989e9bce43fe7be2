package io.leaderstarter.fencing;

import io.leaderstarter.testsupport.MemoryDatabases;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * Tests for {@link FencedTransactions} on H2.
 */
class H2FencedTransactionsTests extends FencedTransactionsContractTests {

	@Override
	DriverManagerDataSource newDatabase() {
		return MemoryDatabases.waiting(MemoryDatabases.newH2(), RAISE_TIMEOUT);
	}

	@Override
	DriverManagerDataSource impatient() {
		// H2 cannot cancel a statement that waits for a lock; its lock time-out ends the
		// wait.
		return MemoryDatabases.waiting(this.database, IMPATIENCE);
	}

}
