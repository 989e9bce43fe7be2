package io.leaderstarter.jdbc;

import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link SqlError}: what drivers report has one meaning, and leads to what
 * helps.
 */
class SqlErrorTests {

	private static final Map<String, Predicate<SQLException>> QUESTIONS = new TreeMap<>(Map.of("duplicate",
			SqlError.DUPLICATE_KEY::is, "conflict", SqlError.CONFLICT::is, "waited", SqlError.LOCK_TIMEOUT::is, "lost",
			SqlError.CONNECTION_LOST::is, "read-only", SqlError.READ_ONLY::is, "state", SqlError.INVALID_STATE::is,
			"cast", SqlError.INVALID_CAST::is, "unusable", SqlError.UNUSABLE::is, "forbidden", SqlError.FORBIDDEN::is,
			"schema", SqlError.NO_SCHEMA::is));

	@ParameterizedTest
	@CsvSource({ "23505,0,duplicate", "23000,1062,duplicate", "23505,23505,duplicate", "40001,0,conflict",
			"40P01,0,conflict", "40001,1213,conflict", "57014,0,waited", "70100,1317,waited", "HYT00,50200,waited",
			"55P03,0,state waited", "55000,0,state", "25P02,0,state", "08001,0,lost", "08006,0,lost", "08004,0,lost",
			"90067,90067,lost", "25006,0,read-only state", "HY000,1290,read-only state", "90097,90097,read-only state",
			"22P02,0,cast", "42P01,0,unusable", "42S02,1146,unusable", "42000,1064,unusable",
			"42501,0,forbidden unusable", "42502,30000,forbidden unusable", "90096,90096,forbidden unusable",
			"42000,1044,forbidden unusable", "42000,1142,forbidden unusable", "HY000,1419,forbidden unusable",
			"42501,-5501,unusable", "3F000,0,schema unusable", "90079,90079,schema unusable", "3D000,0,schema unusable",
			"42000,1049,schema unusable", "08004,1040,''", "HY000,1206,''", "XX000,0,''", ",0,''" })
	void everyFailureHasItsMeaning(String state, int code, String answers) {
		assertThat(questions(new SQLException("no", state, code)))
			.isEqualTo(answers.isEmpty() ? Set.of() : Set.of(answers.split(" ")));
	}

	@Test
	void failureMeansWhatItsCausesMean() {
		SQLException busy = new SQLException("Timeout trying to lock table", "HYT00", 50200,
				new IllegalStateException(new SQLException("Concurrent update", "90131", 90131)));
		assertThat(questions(busy)).containsExactly("waited");
		assertThat(questions(new SQLException("No connection", new SQLException("wrong key", "23505"))))
			.containsExactly("duplicate");
	}

	@Test
	void tableThatChangesWhileH2ReadsItIsAConflict() {
		assertThat(questions(
				new SQLException("General error", "HY000", 50000, new java.util.ConcurrentModificationException())))
			.containsExactly("conflict");
	}

	@Test
	void timeoutWithoutAStateIsALostConnection() {
		assertThat(questions(new SQLTimeoutException("No connection within 10000 ms"))).containsExactly("lost");
	}

	@ParameterizedTest
	@CsvSource({ "42000,1142,true", "42000,942,true", "42000,1049,false", "42501,0,false", "42P01,0,false" })
	void somethingThatIsMissingMayBeForbidden(String state, int code, boolean expected) {
		assertThat(SqlError.isMissingOrForbidden(new SQLException("no", state, code))).isEqualTo(expected);
	}

	@Test
	void readOnlyDatabaseIsKnownAgain() {
		assertThat(questions(SqlError.readOnly("a replica"))).contains("read-only");
	}

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
	void thereIsNoAdviceForAnUnknownState(String state, int code) {
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

	private static Set<String> questions(SQLException failure) {
		return QUESTIONS.entrySet()
			.stream()
			.filter((question) -> question.getValue().test(failure))
			.map(Map.Entry::getKey)
			.collect(Collectors.toSet());
	}

	private static String advice(SQLException failure) {
		return SqlError.advice(failure, "the store", "spring.datasource");
	}

}
