package io.leaderstarter.backend.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.leaderstarter.election.spi.LeaseKey;
import io.leaderstarter.election.spi.StoreException;
import io.leaderstarter.election.spi.StoreMember;
import io.leaderstarter.jdbc.LeaderSchemaException;
import io.leaderstarter.jdbc.LeaderTable;
import io.leaderstarter.jdbc.SchemaInitialization;
import io.leaderstarter.testsupport.PostgresServer;
import io.leaderstarter.testsupport.FaultProxy;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link JdbcLeaseStore} on PostgreSQL.
 */
@Order(2)
class PostgreSqlLeaseStoreTests extends JdbcLeaseStoreContractTests {

	private static final String USER = "lease_user";

	@Override
	DriverManagerDataSource newDatabase() {
		return PostgresServer.newDatabase();
	}

	@Override
	String platform() {
		return "postgresql";
	}

	@Override
	String otherSessions() {
		return "select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()";
	}

	@Override
	String killSession() {
		return "select pg_terminate_backend(%d)";
	}

	@Test
	void userWhoMayNotCreateTheTableIsAdvisedWhichScriptToRun() {
		LeaderSchemaException refusal = refusal(user(), SchemaInitialization.ALWAYS);
		assertThat(refusal).hasMessageContaining("leader_lease").hasMessageContaining("permission denied for schema");
		assertThat(refusal.getAdvice()).contains("schema-lease-postgresql.sql").contains("right to create tables");
	}

	@ParameterizedTest
	@ValueSource(strings = { "ALWAYS", "NEVER" })
	void userWhoMayNotReadTheTableIsAdvisedWhatToGrant(SchemaInitialization initialization) {
		prepare(dataSource(), SchemaInitialization.ALWAYS, LeaderTable.DEFAULT_PREFIX);
		LeaderSchemaException refusal = refusal(user(), initialization);
		assertThat(refusal).hasMessageContaining("permission denied for table leader_lease");
		assertThat(refusal.getAdvice()).contains("grant").contains("select, insert and update");
	}

	@Test
	void allMissingRightsAreReportedAtOnce() {
		prepare(dataSource(), SchemaInitialization.ALWAYS, LeaderTable.DEFAULT_PREFIX);
		DriverManagerDataSource user = user();
		jdbc().execute("grant select on leader_lease, leader_member to " + USER);
		LeaderSchemaException refusal = refusal(user, SchemaInitialization.ALWAYS);
		assertThat(refusal).hasMessageContaining("may not insert, update in the table leader_lease")
			.hasMessageContaining("permission denied for table leader_store")
			.hasMessageContaining("may not insert, update, delete in the table leader_member");
		assertThat(refusal.getAdvice()).contains("select, insert, update on leader_lease")
			.contains("schema-store-postgresql.sql")
			.contains("select, insert, update, delete on leader_member");
		jdbc().execute("grant insert on leader_lease to " + USER);
		jdbc().execute("grant select on leader_store to " + USER);
		assertThat(refusal(user, SchemaInitialization.NEVER))
			.hasMessageContaining("may not update in the table leader_lease")
			.hasMessageNotContaining("leader_store");
	}

	@Test
	void userWhoMayNotWriteTheStoreIdIsReported() {
		prepare(dataSource(), SchemaInitialization.ALWAYS, LeaderTable.DEFAULT_PREFIX);
		jdbc().update("delete from leader_store");
		DriverManagerDataSource user = user();
		jdbc().execute("grant select, insert, update on leader_lease to " + USER);
		jdbc().execute("grant select on leader_store to " + USER);
		assertThat(refusal(user, SchemaInitialization.ALWAYS))
			.hasMessageContaining("may not insert in the table leader_store");
	}

	@Test
	void userWhoMayNotCreateTablesWorksWithOneThatIsThere() {
		prepare(dataSource(), SchemaInitialization.ALWAYS, LeaderTable.DEFAULT_PREFIX);
		DriverManagerDataSource user = user();
		jdbc().execute("grant select, insert, update on leader_lease, leader_store to " + USER);
		StoreMember a = member("a", user);
		LeaseKey lease = a.take("invoices");
		assertThat(a.renew(lease)).containsExactly(lease);
		a.release(lease);
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> a.announce("a"))
			.withMessageContaining("permission denied for table leader_member")
			.withMessageContaining("select, insert, update and delete");
		jdbc().execute("grant select, insert, update, delete on leader_member to " + USER);
		assertThat(a.announce("a")).containsOnlyKeys(a.id());
	}

	@Test
	void userWhoMayNotReadTheMembersStartsThoughTablesAreNotCreated() {
		prepare(dataSource(), SchemaInitialization.ALWAYS, LeaderTable.DEFAULT_PREFIX);
		DriverManagerDataSource user = user();
		jdbc().execute("grant select, insert, update on leader_lease, leader_store to " + USER);
		prepare(user, SchemaInitialization.NEVER, LeaderTable.DEFAULT_PREFIX);
	}

	@Test
	void callOfManyStatementsEndsInTimeAlthoughEachOfThemDoes() {
		StoreMember a = member("a");
		jdbc().execute("create function slow() returns trigger language plpgsql as "
				+ "$$ begin perform pg_sleep(0.4); return new; end $$");
		jdbc().execute("create trigger slow before insert on leader_lease for each row execute function slow()");
		List<String> roles = IntStream.range(0, 60).mapToObj((i) -> "role-" + i).toList();
		// All of them would take 24 s.
		assertEndsWithin(Duration.ofMillis(2000), () -> a.store().observe(roles, attempt(Duration.ofMillis(1000))));
	}

	@ParameterizedTest
	@ValueSource(strings = { "preferQueryMode=simple", "reWriteBatchedInserts=true", "prepareThreshold=1",
			"prepareThreshold=0", "autosave=always" })
	void grantsAreKnownWithEverySettingOfTheDriver(String setting) {
		assertWorksWith(PostgresServer.with(dataSource(), setting));
	}

	private DriverManagerDataSource user() {
		return PostgresServer.asUser(dataSource(), USER);
	}

	@Test
	void callThatIsBlockedEndsInTimeAndTheNextOneWorks() throws Exception {
		assertBlockedCallEndsInTimeAndTheNextOneWorks();
	}

	@Test
	void serverThatHangsIsLeftInTimeAndFoundAgain() {
		try (FaultProxy proxy = new FaultProxy(PostgresServer.port())) {
			assertHangIsLeftInTime(proxy, PostgresServer.through(dataSource(), proxy.port()));
		}
	}

}
