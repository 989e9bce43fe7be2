package io.leaderstarter.autoconfigure;

import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

import io.leaderstarter.TestContexts;
import io.leaderstarter.fencing.Fence;
import io.leaderstarter.fencing.FenceGate;
import io.leaderstarter.fencing.FenceSettings;
import io.leaderstarter.fencing.Fences;
import io.leaderstarter.testsupport.MariaDbServer;
import io.leaderstarter.testsupport.MemoryDatabases;
import io.leaderstarter.testsupport.PostgresServer;
import io.leaderstarter.testsupport.TestDatabase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Tests for what an application prints whose database cannot be used: the advice fits the
 * cause, and never a working network.
 */
@ResourceLock(Resources.SYSTEM_OUT)
@ExtendWith(OutputCaptureExtension.class)
class UnusableDatabaseTests {

	private static final String SETTINGS = "spring.datasource, or the @LeaderDataSource if there is one";

	@Test
	void wrongPasswordIsToBeCorrected(CapturedOutput output) throws Exception {
		String url = TestContexts.h2();
		try (Connection owner = DriverManager.getConnection(url, "owner", "right")) {
			assertThat(owner.isValid(1)).isTrue();
			start(Leases.class, url, "--spring.datasource.username=owner", "--spring.datasource.password=wrong");
		}
		assertThat(analysis(output)).contains("The database of the leases cannot be used: Wrong user name or password",
				"Correct the user name and the password in " + SETTINGS);
	}

	@Test
	void wrongPasswordOfMariaDbIsToBeCorrected(CapturedOutput output) {
		DriverManagerDataSource database = MariaDbServer.newDatabase();
		new JdbcTemplate(database).execute("create user if not exists locked@localhost identified by 'secret'");
		start(Leases.class, database.getUrl().replace("user=root", "user=locked"));
		assertThat(analysis(output)).contains("Access denied for user 'locked'@'localhost'",
				"Correct the user name and the password in " + SETTINGS);
	}

	@Test
	void wrongPasswordOfFencedDatabaseIsToBeCorrected(CapturedOutput output) throws Exception {
		String url = TestContexts.h2();
		try (Connection owner = DriverManager.getConnection(url, "owner", "right")) {
			assertThat(owner.isValid(1)).isTrue();
			start(Fenced.class, url, "--spring.datasource.username=owner", "--spring.datasource.password=wrong");
		}
		assertThat(analysis(output)).contains("The fence in 'dataSource' cannot be used: Wrong user name or password",
				"- Correct the user name and the password in the settings of the DataSource 'dataSource' (such as spring.datasource)",
				"- Let terms begin without it: set leader.fence.required=false.");
	}

	@ParameterizedTest
	@EnumSource(names = { "POSTGRESQL", "MARIADB" })
	void missingDatabaseIsToBeCreated(TestDatabase server, CapturedOutput output) {
		start(Leases.class, server.make().getUrl().replaceFirst("/db\\d+\\?", "/absent?"));
		assertThat(analysis(output)).contains("The database of the leases cannot be used", "absent",
				"Create the database, or correct its name in " + SETTINGS);
	}

	@Test
	void missingDatabaseOfH2IsToBeCreated(CapturedOutput output) {
		start(Leases.class, "jdbc:h2:mem:%s;IFEXISTS=TRUE".formatted(UUID.randomUUID()));
		assertThat(analysis(output)).contains("not found", "Create the database, or correct its name in " + SETTINGS);
	}

	@ParameterizedTest
	@EnumSource
	void missingSchemaIsToBeCreated(TestDatabase kind, CapturedOutput output) {
		DriverManagerDataSource database = kind.make();
		start(Leases.class, database.getUrl(), "--spring.datasource.username=" + user(database),
				"--leader.schema.table-prefix=absent.leader_");
		assertThat(analysis(output)).contains("The table absent.leader_lease cannot be read",
				"Create the schema absent and let this application's user create tables there, or name another one in leader.schema.table-prefix.");
	}

	@Test
	void readOnlyDatabaseIsToBeReplacedByThePrimary(CapturedOutput output) {
		String url = PostgresServer.with(PostgresServer.newDatabase(), "options=-c%20default_transaction_read_only=on")
			.getUrl();
		start(Leases.class, url);
		assertThat(analysis(output)).contains("it is read-only, perhaps a replica",
				"Connect to the primary, as a user who may write there: correct " + SETTINGS,
				"targetServerType=primary");
	}

	@Test
	void readOnlyFencedDatabaseIsToBeReplacedByThePrimary(CapturedOutput output) {
		String url = PostgresServer.with(PostgresServer.newDatabase(), "options=-c%20default_transaction_read_only=on")
			.getUrl();
		start(Fenced.class, url);
		assertThat(analysis(output)).contains("The fence in 'dataSource' cannot be used: it is read-only",
				"- Connect to the primary, as a user who may write there: correct the settings of the DataSource 'dataSource'",
				"- Leave the database out: set leader.fence.data-sources");
	}

	@ParameterizedTest
	@CsvSource({ "H2, postgresql, H2, h2", "H2, mysql, H2, h2", "POSTGRESQL, h2, PostgreSQL, postgresql",
			"MARIADB, postgresql, MariaDB, mariadb" })
	void platformThatDoesNotMatchIsNamed(TestDatabase kind, String platform, String product, String right,
			CapturedOutput output) {
		DriverManagerDataSource database = kind.make();
		start(Leases.class, database.getUrl(), "--spring.datasource.username=" + user(database),
				"--leader.schema.platform=" + platform);
		assertThat(analysis(output)).contains(
				"leader.schema.platform is '%s', but the database is %s".formatted(platform, product),
				"Remove leader.schema.platform, so that the platform is detected, or set leader.schema.platform=%s."
					.formatted(right));
	}

	@Test
	void platformOfFenceThatDoesNotMatchIsNamed(CapturedOutput output) {
		start(Fenced.class, TestContexts.h2(), "--leader.schema.platform=postgresql");
		assertThat(analysis(output)).contains("leader.schema.platform is 'postgresql', but the database is H2",
				"Remove leader.schema.platform, so that the platform is detected, or set leader.schema.platform=h2.");
	}

	@Test
	void standardThatTheDatabaseDoesNotKeepIsToBeLeft(CapturedOutput output) {
		start(Leases.class, TestContexts.h2(), "--leader.schema.platform=ansi");
		assertThat(analysis(output)).contains("The database of the leases cannot be used",
				"Remove leader.schema.platform, so that the platform is detected.");
	}

	@ParameterizedTest
	@ValueSource(strings = { "jdbc:sqlite::memory:", "jdbc:derby:memory:leases;create=true" })
	void unsupportedDatabaseIsNamedAsSuch(String url, CapturedOutput output) {
		start(Leases.class, url);
		assertThat(analysis(output)).contains("The database of the leases cannot be used",
				"This database is not supported, and does not understand the standard SQL that is used for others.",
				"Keep the leases in PostgreSQL, MySQL, MariaDB or H2: mark a DataSource bean for it @LeaderDataSource.",
				"Or set leader.backend to zookeeper or etcd.");
	}

	@ParameterizedTest
	@ValueSource(strings = { "jdbc:sqlite::memory:", "jdbc:derby:memory:fenced;create=true" })
	void unsupportedFencedDatabaseIsNamedAsSuch(String url, CapturedOutput output) {
		start(Fenced.class, url);
		assertThat(analysis(output)).contains("The fence in 'dataSource' cannot be used",
				"eep what is to be fenced in PostgreSQL, MySQL, MariaDB or H2", "eave the database out",
				"leader.fence.data-sources");
	}

	@Test
	void messageNamesAllScriptsIfTheUserMayNotCreateTables(CapturedOutput output) {
		DriverManagerDataSource database = PostgresServer.newDatabase();
		start(Leases.class, PostgresServer.asUser(database, "lease_starter").getUrl());
		assertThat(analysis(output)).contains("permission denied for schema public", "schema-lease-postgresql.sql",
				"schema-store-postgresql.sql", "schema-member-postgresql.sql");
	}

	@ParameterizedTest
	@EnumSource
	void messageNamesTheRightsThatTheUserLacksOnTheFence(TestDatabase kind, CapturedOutput output) {
		DriverManagerDataSource database = kind.make();
		JdbcTemplate owner = new JdbcTemplate(database);
		createFence(database);
		DriverManagerDataSource user = switch (kind) {
			case POSTGRESQL -> PostgresServer.asUser(database, "fence_reader");
			case MARIADB -> MariaDbServer.asUser(database, "fence_reader");
			case H2 -> MemoryDatabases.asUser(database, "fence_reader");
		};
		owner.execute(
				"grant select on leader_fence to fence_reader" + ((kind == TestDatabase.MARIADB) ? "@localhost" : ""));
		start(Fenced.class, user.getUrl(), "--spring.datasource.username=" + user(user));
		assertThat(analysis(output))
			.contains("The fence in 'dataSource' cannot be used",
					"Grant this application's user select, insert and update on leader_fence.")
			.doesNotContain("leader.schema.platform");
	}

	@ParameterizedTest
	@EnumSource(names = { "POSTGRESQL", "H2" })
	void ownerOfTableThatMayNotBeReadIsToGrant(TestDatabase kind, CapturedOutput output) {
		DriverManagerDataSource database = kind.make();
		createFence(database);
		DriverManagerDataSource user = (kind == TestDatabase.H2) ? MemoryDatabases.asUser(database, "fence_stranger")
				: PostgresServer.asUser(database, "fence_stranger");
		start(Fenced.class, user.getUrl(), "--spring.datasource.username=" + user(user));
		assertThat(analysis(output)).contains("The table leader_fence cannot be read",
				"Let the owner of the table grant this application's user select, insert and update on leader_fence.");
	}

	/** Those of servers have the user in their URL. */
	private static String user(DriverManagerDataSource database) {
		return (database.getUsername() != null) ? database.getUsername() : "";
	}

	/** What was printed of the failure, which is never that the network is to blame. */
	private static String analysis(CapturedOutput output) {
		String printed = output.getOut();
		int begin = printed.indexOf("APPLICATION FAILED TO START");
		assertThat(begin).as(printed).isNotNegative();
		assertThat(printed.substring(begin)).contains("Description:", "Action:").doesNotContain("reachable");
		return printed.substring(begin);
	}

	private static void start(Class<?> application, String url, String... properties) {
		String backend = (application == Leases.class) ? "jdbc" : "local";
		SpringApplicationBuilder builder = new SpringApplicationBuilder(application).web(WebApplicationType.NONE)
			.properties("spring.application.name=test", "leader.backend=" + backend, "spring.main.banner-mode=off",
					"spring.datasource.url=" + url);
		assertThatException().isThrownBy(() -> builder.run(properties).close());
	}

	private static void createFence(DriverManagerDataSource database) {
		FenceSettings settings = TestProperties.of(LeaderFenceProperties.class)
			.toSettings("test", Duration.ofSeconds(15), TestProperties.of(LeaderSchemaProperties.class).toSettings());
		new FenceGate(
				new Fences(List.of(new Fence("db", database, database, settings, (role) -> true)), true, List.of()),
				List.of(), () -> "", (event) -> {
				})
			.prepare();
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ LeaderAutoConfiguration.class, LeaderOnlyAutoConfiguration.class,
			JdbcLeaderAutoConfiguration.class, DataSourceAutoConfiguration.class })
	static class Leases {

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ LeaderAutoConfiguration.class, LeaderOnlyAutoConfiguration.class,
			LeaderFenceAutoConfiguration.class, DataSourceAutoConfiguration.class })
	static class Fenced {

	}

}
