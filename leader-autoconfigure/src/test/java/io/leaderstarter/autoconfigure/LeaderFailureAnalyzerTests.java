package io.leaderstarter.autoconfigure;

import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;

import io.leaderstarter.LeaderOnly;
import io.leaderstarter.TestContexts;
import io.leaderstarter.election.spi.Attempt;
import io.leaderstarter.election.spi.LeaseKey;
import io.leaderstarter.election.spi.LeaseRequest;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.LeaseView;
import io.leaderstarter.election.spi.Renewal;
import io.leaderstarter.election.spi.StoreException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.util.TestSocketUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Tests for {@link LeaderFailureAnalyzer}, through what a real application prints:
 * whatever is wrong, the output says what it is and what to do.
 */
@ResourceLock(Resources.SYSTEM_OUT)
@ExtendWith(OutputCaptureExtension.class)
class LeaderFailureAnalyzerTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			textBlock = """
					lease.ttl=800ms                  | leader.lease.ttl (800ms) is shorter than the local backend can keep (1s) | Set leader.lease.ttl to at least 1s.
					lease.ttl=0s                     | leader.lease.ttl (0ms) must be longer than zero | Set leader.lease.ttl to a positive duration
					lease.ttl=-5s                    | leader.lease.ttl (-5s) must be longer than zero | Set leader.lease.ttl to a positive duration
					lease.ttl=1000d                  | leader.lease.ttl is 86400000s, but must be at most 24h | Set leader.lease.ttl to 24h or less
					lease.renew-interval=0s          | leader.lease.renew-interval (0ms) must be longer than zero | Set leader.lease.renew-interval to a positive
					lease.renew-interval=10s         | leader.lease.ttl (15s) is too short: it is less than 2 times leader.lease.renew-interval (10s) plus one request (3s) plus the margin (300ms), which is 23300ms | or set leader.lease.ttl to 47s.
					lease.ttl=soon                   | Failed to bind properties under 'leader.lease.ttl' | Update your application's configuration
					shutdown.drain-timeout=-1s       | leader.shutdown.drain-timeout is -1s, but must be at least 0ms | Set leader.shutdown.drain-timeout to 0ms or longer
					jdbc.poll-interval=0s            | leader.jdbc.poll-interval is 0ms, but must be at least 10ms | Set leader.jdbc.poll-interval to 10ms or longer
					jdbc.poll-interval=-500ms        | leader.jdbc.poll-interval is -500ms, but must be at least 10ms | Set leader.jdbc.poll-interval to 10ms or longer
					schema.platform=db2                | leader.schema.platform cannot be used: There is no platform 'db2', only [ansi, h2, mariadb, mysql, postgresql] | Correct leader.schema.platform.
					"schema.table-prefix=x; drop table users --" | leader.schema.table-prefix cannot be used: 'x; drop table users --' cannot be a table-prefix: it must be letters, digits and _ | Correct leader.schema.table-prefix.
					"schema.table-prefix=a.b.c_"       | leader.schema.table-prefix cannot be used: 'a.b.c_' cannot be a table-prefix | Correct leader.schema.table-prefix.
					schema.initialize=embedded  | Failed to bind properties under 'leader.schema.initialize' | The following values are valid
					roles.[close invoices].candidate=true | leader.roles cannot be used: 'close invoices' cannot be the name of a role | Correct leader.roles.
					"member.id-prefix= "             | leader.member.id-prefix is ' ', but must have 1 to 128 characters | Set leader.member.id-prefix to another text, or remove it.
					backend=zebra                    | leader.backend is 'zebra', which is not available. Available backends: jdbc, local | Set leader.backend=jdbc.
					backend=                         | leader.backend is '', which is not available | Set leader.backend=jdbc.
					""")
	void wrongPropertyIsExplained(String property, String description, String action, CapturedOutput output) {
		assertThatStartFails("--leader." + property, "--spring.datasource.url=" + TestContexts.h2());
		assertThat(output).contains("APPLICATION FAILED TO START", "Description:", description, "Action:", action);
	}

	@Test
	void tooLongNamesAreExplainedWithoutAllOfThem(CapturedOutput output) {
		assertThatStartFails("--leader.member.id-prefix=" + "p".repeat(129));
		assertThatStartFails("--leader.namespace=" + "n".repeat(129));
		assertThatStartFails("--spring.application.name=" + "a".repeat(129));
		assertThat(output).contains("leader.member.id-prefix is '" + "p".repeat(128) + "...'")
			.contains("leader.namespace is '" + "n".repeat(128) + "...'")
			.contains("leader.namespace (spring.application.name, as it is not set) is '" + "a".repeat(128) + "...'")
			.contains("Set leader.namespace to another text")
			.doesNotContain("p".repeat(129) + "'");
	}

	@Test
	void controlCharactersAreRefusedAndNotPrinted(CapturedOutput output) {
		assertThatStartFails("--leader.namespace=one\u0007two");
		assertThatStartFails("--leader.member.id-prefix=one\ntwo");
		assertThatStartFails("--leader.roles.[one\ttwo].candidate=true");
		assertThat(output).contains("leader.namespace is 'one?two'", "leader.member.id-prefix is 'one?two'",
				"'one?two' cannot be the name of a role");
	}

	@Test
	void missingNameOfTheApplicationIsExplained(CapturedOutput output) {
		assertThatStartFails("--spring.application.name=");
		assertThat(output).contains("needs a name that keeps this application apart from others", "Do one of these:",
				"- Set spring.application.name.", "- Set leader.namespace.");
	}

	@Test
	void databaseThatIsNotThereIsExplained(CapturedOutput output) {
		int closed = TestSocketUtils.findAvailableTcpPort();
		assertThatStartFails("--leader.backend=jdbc",
				"--spring.datasource.url=jdbc:postgresql://localhost:%d/absent".formatted(closed));
		assertThat(output).contains("The database of the leases cannot be used", "localhost:" + closed,
				"Check spring.datasource, or the @LeaderDataSource", "Make the store reachable");
	}

	@Test
	void wrongPasswordIsExplained(CapturedOutput output) throws Exception {
		String url = TestContexts.h2();
		try (Connection owner = DriverManager.getConnection(url, "owner", "right")) {
			assertThat(owner.isValid(1)).isTrue();
			assertThatStartFails("--leader.backend=jdbc", "--spring.datasource.url=" + url,
					"--spring.datasource.username=owner", "--spring.datasource.password=wrong");
		}
		assertThat(output).contains("The database of the leases cannot be used", "Wrong user name or password")
			.doesNotContain("password=wrong");
	}

	@Test
	void missingTableIsExplained(CapturedOutput output) {
		assertThatStartFails("--leader.backend=jdbc", "--spring.datasource.url=" + TestContexts.h2(),
				"--leader.schema.initialize=never");
		assertThat(output).contains("The table leader_lease cannot be read",
				"Run the script 'io/leaderstarter/jdbc/schema-lease-h2.sql' from the jar of leader-autoconfigure",
				"leader.schema.initialize=always");
	}

	@Test
	void fencedDatabaseThatIsNotThereIsExplained(CapturedOutput output) {
		int closed = TestSocketUtils.findAvailableTcpPort();
		assertThatException().isThrownBy(() -> start(new Class<?>[] { FencedApplication.class },
				"--spring.datasource.url=" + "jdbc:postgresql://localhost:%d/absent".formatted(closed)));
		assertThat(output).contains("The fence in 'dataSource' cannot be used", "localhost:" + closed,
				"Make the database reachable", "leader.fence.data-sources", "leader.fence.required=false");
	}

	@Test
	void fencedDatabaseThatIsNotThereAndNotRequiredStopsNothing(CapturedOutput output) {
		int closed = TestSocketUtils.findAvailableTcpPort();
		start(new Class<?>[] { FencedApplication.class },
				"--spring.datasource.url=" + "jdbc:postgresql://localhost:%d/absent".formatted(closed),
				"--leader.fence.required=false", "--leader.fence.guarded-tables=invoice");
		assertThat(output).contains("Terms begin nevertheless");
	}

	@Test
	void methodThatCannotBeProtectedIsExplained(CapturedOutput output) {
		assertThatException().isThrownBy(() -> start(new Class<?>[] { Application.class, FinalJob.class },
				"--leader.backend=local", "--spring.datasource.url=" + TestContexts.h2()));
		assertThat(output).contains("APPLICATION FAILED TO START", "@LeaderOnly cannot protect",
				"FinalJob.work: it is final, so no proxy intercepts its calls", "Remove 'final'.");
	}

	@Test
	void storeOfTheApplicationExplainsItself(CapturedOutput output) {
		assertThatException().isThrownBy(() -> start(new Class<?>[] { Application.class, AdvisingStore.class }));
		assertThat(output).contains("APPLICATION FAILED TO START", "Description:", "The vault of leases is sealed",
				"Action:", "Unseal the vault with two of its three keys.");
	}

	@Test
	void storeOfTheApplicationThatKnowsNoAdviceIsGivenNone(CapturedOutput output) {
		assertThatException().isThrownBy(() -> start(new Class<?>[] { Application.class, SpeechlessStore.class }));
		assertThat(output.getOut().substring(output.getOut().indexOf("APPLICATION FAILED TO START")))
			.contains("Description:", "The vault said 17")
			.doesNotContain("Action:", "reachable");
	}

	@Test
	void failureOfAnotherLibraryIsNotAnalyzed() {
		assertThat(new LeaderFailureAnalyzer().analyze(new IllegalStateException("of another library"))).isNull();
	}

	private static void assertThatStartFails(String... properties) {
		assertThatException().isThrownBy(() -> start(new Class<?>[] { Application.class }, properties));
	}

	private static void start(Class<?>[] sources, String... properties) {
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(sources).web(WebApplicationType.NONE)
			.properties("spring.application.name=test", "leader.backend=local", "spring.main.banner-mode=off")
			.run(properties)) {
			assertThat(context.isRunning()).isTrue();
		}
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ LeaderAutoConfiguration.class, LeaderOnlyAutoConfiguration.class,
			JdbcLeaderAutoConfiguration.class, DataSourceAutoConfiguration.class })
	static class Application {

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ LeaderAutoConfiguration.class, LeaderOnlyAutoConfiguration.class,
			LeaderFenceAutoConfiguration.class, DataSourceAutoConfiguration.class })
	static class FencedApplication {

	}

	@Configuration(proxyBeanMethods = false)
	static class AdvisingStore {

		@Bean
		LeaseStore vault() {
			return new VaultStore(new StoreException("The vault of leases is sealed",
					"Unseal the vault with two of its three keys.", null));
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class SpeechlessStore {

		@Bean
		LeaseStore vault() {
			return new VaultStore(new StoreException("The vault said 17", null));
		}

	}

	private record VaultStore(StoreException failure) implements LeaseStore {

		@Override
		public String name() {
			return "vault";
		}

		@Override
		public String storeId() {
			throw this.failure;
		}

		@Override
		public void prepare() {
			throw this.failure;
		}

		@Override
		public Duration pollInterval() {
			return Duration.ofSeconds(1);
		}

		@Override
		public List<LeaseView> observe(Collection<String> roles, Attempt attempt) {
			throw this.failure;
		}

		@Override
		public Set<LeaseKey> acquire(List<LeaseRequest> requests, Attempt attempt) {
			throw this.failure;
		}

		@Override
		public Renewal renew(Collection<LeaseKey> leases, Attempt attempt) {
			throw this.failure;
		}

		@Override
		public void release(Collection<LeaseKey> leases, Attempt attempt) {
			throw this.failure;
		}

		@Override
		public void close() {
		}

	}

	static class FinalJob {

		@LeaderOnly("final")
		public final void work() {
		}

	}

}
