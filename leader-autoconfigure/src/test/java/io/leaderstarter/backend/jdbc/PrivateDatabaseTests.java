package io.leaderstarter.backend.jdbc;

import java.nio.file.Path;
import java.util.UUID;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.leaderstarter.TestContexts;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that a database which each process has for itself is warned about, as each
 * process then leads.
 */
@Isolated("other tests log the same")
@ExtendWith(OutputCaptureExtension.class)
class PrivateDatabaseTests {

	/** Silent in all other tests, most of which are on such a database. */
	private final Logger logger = (Logger) LoggerFactory.getLogger(DatabaseUrl.class);

	private final Level level = this.logger.getLevel();

	@BeforeEach
	void speak() {
		this.logger.setLevel(Level.WARN);
	}

	@AfterEach
	void beSilent() {
		this.logger.setLevel(this.level);
	}

	@ParameterizedTest
	@ValueSource(strings = { "jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1;USER=sa", "jdbc:hsqldb:mem:%s;user=sa" })
	void databaseInTheMemoryOfTheProcessIsWarnedAbout(String url, CapturedOutput output) {
		TestContexts.jdbc(url.formatted("private" + UUID.randomUUID().toString().replace("-", ""))).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(output).containsOnlyOnce("is in the memory of this process")
				.contains("mem:private")
				.contains("every instance of the application leads all of its roles")
				.contains("spring.datasource.url", "@LeaderDataSource", "leader.backend")
				.doesNotContainIgnoringCase("DB_CLOSE_DELAY", "user=sa");
		});
	}

	@ParameterizedTest
	@CsvSource({ "jdbc:h2:mem:a,true", "jdbc:hsqldb:mem:a,true", "jdbc:derby:memory:a;create=true,true",
			"jdbc:sqlite::memory:,true", "jdbc:h2:tcp://host/mem:a,false", "jdbc:hsqldb:hsql://host/a,false",
			"jdbc:postgresql://host/mem,false", "jdbc:h2:./file,false" })
	void privateDatabaseIsKnownByItsUrl(String url, boolean expected) {
		assertThat(DatabaseUrl.isPrivate(url)).isEqualTo(expected);
	}

	@Test
	void databaseThatOtherProcessesCanOpenIsNot(@TempDir Path directory, CapturedOutput output) {
		TestContexts.jdbc("jdbc:h2:file:" + directory.resolve("shared")).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(output).doesNotContain("memory of this process");
		});
	}

}
