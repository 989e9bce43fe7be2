package io.leaderstarter.fencing.trigger;

import io.leaderstarter.testsupport.MariaDbServer;
import org.junit.jupiter.api.Tag;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * Tests for {@link FenceTriggers} on MariaDB by MySQL's driver.
 */
@Tag("verify")
class MySqlDriverFenceTriggersTests extends MariaDbFenceTriggersTests {

	@Override
	DriverManagerDataSource newDatabase() {
		return MariaDbServer.newDatabaseForMySqlDriver();
	}

}
