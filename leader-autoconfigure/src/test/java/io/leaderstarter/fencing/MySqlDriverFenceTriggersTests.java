package io.leaderstarter.fencing;

import io.leaderstarter.testsupport.MariaDbServer;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * Tests for {@link FenceTriggers} on MariaDB by MySQL's driver.
 */
class MySqlDriverFenceTriggersTests extends MariaDbFenceTriggersTests {

	@Override
	DriverManagerDataSource newDatabase() {
		return MariaDbServer.newDatabaseForMySqlDriver();
	}

}
