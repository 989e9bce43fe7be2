package io.leaderstarter.jdbc;

import java.sql.Connection;

import io.leaderstarter.testsupport.MemoryDatabases;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link JdbcDialects}. What each database is taken for is tested where its
 * leases are.
 */
class JdbcDialectsTests {

	@ParameterizedTest
	@ValueSource(strings = { "postgresql", "mysql", "mariadb", "h2", "ansi" })
	void everyPlatformHasADialectAndAScript(String platform) {
		JdbcDialect dialect = JdbcDialects.of(platform);
		assertThat(dialect.platform()).isEqualTo(platform);
		assertThat(JdbcDialects.class.getResource("schema-lease-%s.sql".formatted(platform))).isNotNull();
	}

	@Test
	void platformMayBeWrittenInCapitals() {
		assertThat(JdbcDialects.of("PostgreSQL")).isSameAs(JdbcDialects.of("postgresql"));
	}

	@Test
	void unknownPlatformIsRefusedWithThoseThatThereAre() {
		assertThatIllegalArgumentException().isThrownBy(() -> JdbcDialects.of("orakel"))
			.withMessage("There is no platform 'orakel', only [ansi, h2, mariadb, mysql, postgresql]");
	}

	@Test
	void configuredPlatformIsPreferredToTheDetectedOne() throws Exception {
		try (Connection connection = MemoryDatabases.newH2().getConnection()) {
			assertThat(JdbcDialects.detect(connection, "ansi").platform()).isEqualTo("ansi");
			assertThat(JdbcDialects.detect(connection, null).platform()).isEqualTo("h2");
		}
	}

	@Test
	void onlyTheFallbackIsTried() {
		assertThat(JdbcDialects.of("ansi").isAssumed()).isTrue();
		assertThat(JdbcDialects.of("h2").isAssumed()).isFalse();
	}

}
