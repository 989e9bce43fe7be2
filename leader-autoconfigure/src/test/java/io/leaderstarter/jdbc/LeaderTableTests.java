package io.leaderstarter.jdbc;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link LeaderTable}. How a table comes to be is tested where it is used.
 */
class LeaderTableTests {

	@ParameterizedTest
	@ValueSource(strings = { "leader_", "L", "_", "app2_", "other.leader_", "Other_1.Leader_2" })
	void prefixMayBeAnIdentifierMaybeAfterASchema(String prefix) {
		assertThat(table(prefix).qualifiedName()).isEqualTo(prefix + "lease");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "a b", "a-", "1a", "a.b.c", ".a", "a.", "a;drop table users;--", "a'", "a\"",
			"a`", "a(", "a/*", "ä_", "a\n", "a\0", "a_\r\nINFO forged" })
	void anyOtherPrefixIsRefused(String prefix) {
		assertThatIllegalArgumentException().isThrownBy(() -> table(prefix))
			.withMessageContaining("cannot be a table-prefix")
			.satisfies((ex) -> assertThat(ex.getMessage()).doesNotContainPattern("\\p{Cntrl}"));
	}

	@Test
	void scriptIsNamedByTableAndPlatform() {
		assertThat(table("leader_").script(JdbcDialects.of("h2")))
			.isEqualTo("io/leaderstarter/jdbc/schema-lease-h2.sql");
	}

	private static LeaderTable table(String prefix) {
		return new LeaderTable("lease", prefix, List.of("role"));
	}

}
