package io.leaderstarter.fencing.trigger;

import java.io.StringReader;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

import io.leaderstarter.jdbc.JdbcDialects;
import io.leaderstarter.jdbc.LeaderSchemaException;
import io.leaderstarter.testsupport.PostgresServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link FenceTriggers} on PostgreSQL.
 */
class PostgreSqlFenceTriggersTests extends FenceTriggersContractTests {

	@Override
	DriverManagerDataSource newDatabase() {
		return PostgresServer.newDatabase();
	}

	@Override
	void carry(Connection connection, String terms) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement("select set_config('leader.terms', ?, true)")) {
			statement.setString(1, terms);
			statement.execute();
		}
	}

	@Override
	DriverManagerDataSource writer() {
		DriverManagerDataSource writer = PostgresServer.asUser(this.database, "writer");
		this.jdbc.execute("grant select, insert, update, delete on invoice, unguarded to writer");
		return writer;
	}

	@Override
	String quoted(String name) {
		return "\"" + name.replace("\"", "\"\"") + "\"";
	}

	@ParameterizedTest
	@ValueSource(strings = { "truncate invoice", "truncate unguarded, invoice",
			"with gone as (delete from invoice returning *) select count(*) from gone",
			"insert into invoice values (1, 'x') on conflict (id) do update set note = 'x'",
			"insert into invoice values (1, 'x') on conflict do nothing", "delete from invoice where id = 99",
			"merge into invoice i using (values (1)) v (id) on i.id = v.id when matched then delete",
			"do 'begin delete from invoice; end'" })
	void otherWaysToWriteAreRefused(String sql) {
		refused(FenceTriggers.NO_EPOCH, () -> this.jdbc.execute(sql));
		assertThat(notes()).containsExactly("first");
	}

	@Test
	void copyIsRefused() throws SQLException {
		try (Connection connection = this.database.getConnection()) {
			refused(FenceTriggers.NO_EPOCH,
					() -> connection.unwrap(PGConnection.class)
						.getCopyAPI()
						.copyIn("copy invoice from stdin", new StringReader("2\tx\n")));
		}
		assertThat(notes()).containsExactly("first");
	}

	@Test
	void writesWhereTriggersAreOffAreRefused() throws SQLException {
		try (Connection connection = this.database.getConnection()) {
			execute(connection, "set session_replication_role = replica");
			refused(FenceTriggers.NO_EPOCH, () -> execute(connection, "delete from invoice"));
			refused(FenceTriggers.NO_EPOCH, () -> execute(connection, "truncate invoice"));
		}
	}

	@Test
	void foreignKeyCascadeIsRefused() {
		this.jdbc.update("insert into unguarded values (1)");
		this.jdbc.execute(
				"create table item (id int primary key, parent int references unguarded on delete cascade on update cascade)");
		this.jdbc.update("insert into item values (1, 1)");
		install("item");
		refused(FenceTriggers.NO_EPOCH, () -> this.jdbc.update("delete from unguarded"));
		refused(FenceTriggers.NO_EPOCH, () -> this.jdbc.update("update unguarded set id = 2"));
		refused(FenceTriggers.NO_EPOCH, () -> this.jdbc.execute("truncate unguarded cascade"));
		assertThat(this.jdbc.queryForObject("select count(*) from item", Integer.class)).isOne();
	}

	@ParameterizedTest
	@ValueSource(strings = { "insert into parted values (5)", "insert into parted_low values (5)",
			"insert into parted_high_sub values (15)", "update parted set id = id + 1",
			"update parted_low set id = id + 1", "delete from parted", "delete from parted_high", "truncate parted",
			"truncate parted_low", "truncate parted_high", "truncate parted_high_sub" })
	void writesToPartitionsAreRefused(String sql) throws SQLException {
		partitions();
		refused(FenceTriggers.NO_EPOCH, () -> this.jdbc.execute(sql));
		try (Connection connection = this.database.getConnection()) {
			execute(connection, "set session_replication_role = replica");
			refused(FenceTriggers.NO_EPOCH, () -> execute(connection, sql));
		}
		assertThat(this.jdbc.queryForList("select id from parted order by id", Integer.class)).containsExactly(1, 11);
		write(sql, this.old);
		uninstall("parted");
		this.jdbc.execute(sql.replace("5)", "6)"));
	}

	@Test
	void partitionsThatComeLaterAreGuardedButForTruncate() throws SQLException {
		partitions();
		this.jdbc.execute("create table parted_new partition of parted for values from (20) to (30)");
		this.jdbc.execute("create table parted_attached (id int not null)");
		this.jdbc.update("insert into parted_attached values (31)");
		this.jdbc.execute("alter table parted attach partition parted_attached for values from (30) to (40)");
		for (String insert : List.of("insert into parted_new values (21)", "insert into parted_attached values (32)")) {
			refused(FenceTriggers.NO_EPOCH, () -> this.jdbc.update(insert));
			try (Connection connection = this.database.getConnection()) {
				execute(connection, "set session_replication_role = replica");
				refused(FenceTriggers.NO_EPOCH, () -> execute(connection, insert));
			}
		}
		this.jdbc.execute("truncate parted_attached");
		assertThat(this.jdbc.queryForList("select id from parted_attached")).isEmpty();
		install("parted");
		refused(FenceTriggers.NO_EPOCH, () -> this.jdbc.execute("truncate parted_attached"));
		refused(FenceTriggers.NO_EPOCH, () -> this.jdbc.execute("truncate parted_new"));
	}

	@Test
	void partitionThatWasASeparateTableStaysGuarded() {
		partitions();
		this.jdbc.execute("create table single (id int not null)");
		install("single");
		this.jdbc.execute("alter table parted attach partition single for values from (40) to (50)");
		refused(FenceTriggers.NO_EPOCH, () -> this.jdbc.update("insert into single values (41)"));
		refused(FenceTriggers.NO_EPOCH, () -> this.jdbc.update("insert into parted values (41)"));
		this.jdbc.execute("alter table parted detach partition single");
		refused(FenceTriggers.NO_EPOCH, () -> this.jdbc.update("insert into single values (41)"));
		install("parted");
		install("single");
	}

	@Test
	void partitionIsGuardedAlone() {
		this.jdbc.execute("create table parted (id int) partition by range (id)");
		this.jdbc.execute("create table parted_low partition of parted for values from (0) to (10)");
		this.jdbc.execute("create table parted_high partition of parted for values from (10) to (20)");
		install("parted_low");
		this.jdbc.update("insert into parted values (11)");
		refused(FenceTriggers.NO_EPOCH, () -> this.jdbc.update("insert into parted values (1)"));
		refused(FenceTriggers.NO_EPOCH, () -> this.jdbc.execute("truncate parted_low"));
	}

	@Test
	void tablesThatInheritAreGuardedAndLaterOnesPass() {
		this.jdbc.execute("create table base (id int)");
		this.jdbc.execute("create table derived () inherits (base)");
		install("base");
		refused(FenceTriggers.NO_EPOCH, () -> this.jdbc.update("insert into derived values (1)"));
		refused(FenceTriggers.NO_EPOCH, () -> this.jdbc.execute("truncate derived"));
		this.jdbc.execute("create table later () inherits (base)");
		this.jdbc.update("insert into later values (1)");
		install("base");
		refused(FenceTriggers.NO_EPOCH, () -> this.jdbc.update("insert into later values (1)"));
	}

	@Test
	void installingEnablesDisabledTriggers() {
		this.jdbc.execute("alter table invoice disable trigger all");
		this.jdbc.update("update invoice set note = 'passed'");
		install("invoice");
		refused(FenceTriggers.NO_EPOCH, () -> this.jdbc.update("delete from invoice"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "alter table invoice drop column note",
			"alter table invoice alter column note type text using 'changed'", "drop table invoice",
			"alter table invoice rename to archive" })
	void changesOfTheTableItselfPass(String sql) {
		this.jdbc.execute(sql);
	}

	@Test
	void anyClientWithTheCurrentTermMayWrite() throws SQLException {
		try (Connection anybody = this.database.getConnection()) {
			execute(anybody,
					"select set_config('leader.terms', concat_ws(E'\\t', epoch, term_id, namespace, role), false) "
							+ "from leader_fence where role = 'invoices'");
			execute(anybody, "delete from invoice");
		}
		assertThat(notes()).isEmpty();
	}

	@Test
	void statementThatFindsNoRowIsRefusedOnAPartitionedTable() {
		partitions();
		refused(FenceTriggers.NO_EPOCH, () -> this.jdbc.update("delete from parted where id = 99"));
		refused(FenceTriggers.NO_EPOCH, () -> this.jdbc.update("delete from parted_low where id = 99"));
	}

	@Test
	void partitionThatIsDetachedStaysGuarded() throws SQLException {
		partitions();
		this.jdbc.execute("alter table parted detach partition parted_low");
		for (String sql : List.of("delete from parted_low", "insert into parted_low values (2)",
				"truncate parted_low")) {
			refused(FenceTriggers.NO_EPOCH, () -> this.jdbc.update(sql));
		}
		write("insert into parted_low values (2)", this.old);
		this.jdbc.execute("alter table parted attach partition parted_low for values from (0) to (10)");
		install("parted");
		refused(FenceTriggers.NO_EPOCH, () -> this.jdbc.update("delete from parted"));
		this.jdbc.execute("alter table parted detach partition parted_low");
		uninstall("parted_low");
		this.jdbc.update("delete from parted_low");
	}

	@Test
	void rowsPassWithPartitionsThatAreAttachedDetachedOrDropped() {
		partitions();
		this.jdbc.execute("create table parted_filled (id int)");
		this.jdbc.update("insert into parted_filled values (21)");
		this.jdbc.execute("alter table parted attach partition parted_filled for values from (20) to (30)");
		assertThat(this.jdbc.queryForList("select id from parted order by id", Integer.class)).containsExactly(1, 11,
				21);
		this.jdbc.execute("alter table parted detach partition parted_low");
		this.jdbc.execute("drop table parted_high");
		assertThat(this.jdbc.queryForList("select id from parted", Integer.class)).containsExactly(21);
		// It was attached after the last start, so nothing of the guard stays with it.
		this.jdbc.execute("alter table parted detach partition parted_filled");
		this.jdbc.update("delete from parted_filled");
	}

	@Test
	void viewIsNotATable() {
		this.jdbc.execute("create view seen as select * from invoice");
		assertThatExceptionOfType(LeaderSchemaException.class).isThrownBy(() -> install("seen"));
		refused(FenceTriggers.NO_EPOCH, () -> this.jdbc.update("delete from seen"));
	}

	@Test
	void tablesOfTheWritersCannotPassForTheFence() throws SQLException {
		try (Connection connection = writer().getConnection()) {
			execute(connection, "create temporary table leader_fence as "
					+ "select 'test' as namespace, 'invoices' as role, 99::bigint as epoch, 't' as term_id");
			execute(connection, "set search_path = pg_temp, public");
			connection.setAutoCommit(false);
			carry(connection, "99\tt\ttest\tinvoices");
			refused(FenceTriggers.STALE_EPOCH, () -> execute(connection, "delete from public.invoice"));
			connection.rollback();
		}
	}

	@Test
	void fenceAndTableCanBeInOtherSchemas() throws SQLException {
		this.jdbc.execute("create schema \"Elect ion\"");
		this.jdbc.execute("create schema election");
		this.jdbc.execute("alter table leader_fence set schema election");
		this.jdbc.execute("create table \"Elect ion\".receipt (id int)");
		try (Connection connection = this.database.getConnection()) {
			new FenceTriggers(JdbcDialects.of("postgresql"), "election.leader_").install(connection,
					"\"Elect ion\".receipt");
		}
		refused(FenceTriggers.NO_EPOCH, () -> this.jdbc.update("insert into \"Elect ion\".receipt values (1)"));
		write("insert into \"Elect ion\".receipt values (1)", this.old);
	}

	@Test
	void savepointThatIsRolledBackDoesNotLoseTheCheckOfLaterWrites() throws SQLException {
		try (Connection connection = this.database.getConnection()) {
			connection.setAutoCommit(false);
			var savepoint = connection.setSavepoint();
			carry(connection, terms(this.old));
			execute(connection, "insert into invoice values (2, 'x')");
			connection.rollback(savepoint);
			refused(FenceTriggers.NO_EPOCH, () -> execute(connection, "insert into invoice values (2, 'x')"));
			connection.rollback();
		}
	}

	@Test
	void nothingIsLeftOnTheConnectionOfAPool() throws SQLException {
		try (Connection connection = this.database.getConnection()) {
			connection.setAutoCommit(false);
			carry(connection, terms(this.old));
			execute(connection, "insert into invoice values (2, 'x')");
			connection.commit();
			refused(FenceTriggers.NO_EPOCH, () -> execute(connection, "delete from invoice"));
			connection.rollback();
		}
	}

	private void partitions() {
		JdbcTemplate jdbc = this.jdbc;
		jdbc.execute("create table parted (id int) partition by range (id)");
		jdbc.execute("create table parted_low partition of parted for values from (0) to (10)");
		jdbc.execute(
				"create table parted_high partition of parted for values from (10) to (20) partition by range (id)");
		jdbc.execute("create table parted_high_sub partition of parted_high for values from (10) to (20)");
		jdbc.update("insert into parted values (1), (11)");
		install("parted");
	}

}
