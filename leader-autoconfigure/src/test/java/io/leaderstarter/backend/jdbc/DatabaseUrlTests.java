package io.leaderstarter.backend.jdbc;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link DatabaseUrl}.
 */
class DatabaseUrlTests {

	@ParameterizedTest
	@CsvSource({ "jdbc:postgresql://db:5432/app?user=me&password=s3cret, jdbc:postgresql://db:5432/app",
			"jdbc:postgresql://me:s3cret@db/app, jdbc:postgresql://***@db/app",
			"jdbc:sqlserver://db:1433;user=me;password=s3cret, jdbc:sqlserver://db:1433",
			"jdbc:oracle:thin:me/s3cret@db:1521:app, jdbc:oracle:thin:***@db:1521:app",
			"jdbc:oracle:thin:me/s3cret@//db:1521/app, jdbc:oracle:thin:***@//db:1521/app",
			"jdbc:oracle:thin:@//db:1521/app, jdbc:oracle:thin:@//db:1521/app", "jdbc:h2:mem:app, jdbc:h2:mem:app" })
	void credentialsAreLeftOut(String url, String expected) {
		assertThat(DatabaseUrl.withoutCredentials(url)).isEqualTo(expected);
	}

}
