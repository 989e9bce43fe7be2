package io.leaderstarter.jdbc;

import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link DatabaseAdvice}: what drivers report leads to what helps.
 */
class DatabaseAdviceTests {

	@ParameterizedTest
	@CsvSource({ "08001,0,Make the store reachable", "08006,0,Make the store reachable",
			"90067,90067,Make the store reachable", "28P01,0,Correct the user name", "28000,1045,Correct the user name",
			"3D000,0,Create the database", "42000,1049,Create the database", "90146,90146,Create the database",
			"3F000,0,Create the schema", "90079,90079,Create the schema", "25006,0,Connect to the primary",
			"HY000,1290,Connect to the primary", "90097,90097,Connect to the primary",
			"42501,0,Let the database allow its user", "42000,1044,Let the database allow its user",
			"90096,90096,Let the database allow its user", "53300,0,max_connections", "08004,1040,max_connections",
			"57P03,0,when the database has started", "57014,0,what holds the database up",
			"70100,1317,what holds the database up", "HYT00,50200,what holds the database up" })
	void adviceFitsTheState(String state, int code, String advice) {
		assertThat(advice(new SQLException("no", state, code))).contains(advice);
	}

	@ParameterizedTest
	@CsvSource({ "42P01,0", "42000,1064", "XX000,0", ",0" })
	void thereIsNoneWhereTheStateDoesNotTell(String state, int code) {
		assertThat(advice(new SQLException("no", state, code))).isNull();
	}

	@Test
	void stateOfTheDriverCountsAndNotThatOfThePool() {
		SQLException driver = new SQLException("wrong password", "28P01");
		assertThat(advice(new SQLTransientConnectionException("no connection available", "08001", driver)))
			.contains("Correct the user name");
		assertThat(advice(new SQLException("No connection", new IllegalStateException("pool", driver))))
			.contains("Correct the user name");
	}

	@Test
	void connectionThatDoesNotComeIsOneThatIsNotReachable() {
		assertThat(advice(new SQLTimeoutException("No connection within 10000 ms"))).contains("reachable");
	}

	private static String advice(SQLException failure) {
		return DatabaseAdvice.of(failure, "the store", "spring.datasource");
	}

}
