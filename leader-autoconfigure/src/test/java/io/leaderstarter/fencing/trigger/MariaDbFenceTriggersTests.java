package io.leaderstarter.fencing.trigger;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

import io.leaderstarter.jdbc.JdbcDialects;
import io.leaderstarter.jdbc.LeaderSchemaException;
import io.leaderstarter.testsupport.MariaDbServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link FenceTriggers} on MariaDB.
 */
class MariaDbFenceTriggersTests extends FenceTriggersContractTests {

	@Override
	DriverManagerDataSource newDatabase() {
		return MariaDbServer.newDatabase();
	}

	@Override
	void carry(Connection connection, String terms) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement("set @leader_terms = ?")) {
			statement.setString(1, terms);
			statement.execute();
		}
	}

	@Override
	DriverManagerDataSource writer() {
		DriverManagerDataSource writer = MariaDbServer.asUser(this.database, "writer");
		for (String table : new String[] { "invoice", "unguarded" }) {
			this.jdbc.execute("grant select, insert, update, delete on %s to writer@localhost".formatted(table));
		}
		return writer;
	}

	@Override
	String quoted(String name) {
		return "`" + name.replace("`", "``") + "`";
	}

	@ParameterizedTest
	@ValueSource(strings = { "insert ignore into invoice values (2, 'x')", "update ignore invoice set note = 'x'",
			"delete ignore from invoice", "replace into invoice values (1, 'x')",
			"insert into invoice values (1, 'x') on duplicate key update note = 'x'",
			"update invoice, unguarded set invoice.note = 'x'", "delete invoice from invoice" })
	void otherWaysToWriteAreRefused(String sql) {
		this.jdbc.update("insert into unguarded values (1)");
		refused(FenceTriggers.NO_EPOCH, () -> this.jdbc.update(sql));
		assertThat(notes()).containsExactly("first");
	}

	@Test
	void partitionsAreGuardedByTheirTable() {
		this.jdbc.execute("create table parted (id int primary key) partition by hash (id) partitions 2");
		install("parted");
		refused(FenceTriggers.NO_EPOCH, () -> this.jdbc.update("insert into parted values (1)"));
	}

	@Test
	void tableInAnotherSchemaIsGuarded() {
		String other = new JdbcTemplate(MariaDbServer.newDatabase()).queryForObject("select database()", String.class);
		this.jdbc.execute("create table %s.receipt (id int primary key)".formatted(other));
		install(other + ".receipt");
		refused(FenceTriggers.NO_EPOCH, () -> this.jdbc.update("insert into %s.receipt values (1)".formatted(other)));
		assertThatIllegalArgumentException().isThrownBy(() -> this.triggers.installScript(other + ".receipt"));
		uninstall(other + ".receipt");
		String here = this.jdbc.queryForObject("select database()", String.class);
		migrate(new FenceTriggers(JdbcDialects.of("mariadb"), here + ".leader_").installScript(other + ".receipt"));
		refused(FenceTriggers.NO_EPOCH, () -> this.jdbc.update("insert into %s.receipt values (1)".formatted(other)));
	}

	@Test
	void tableThatCannotTakeBackWhatWasRefusedIsNotGuarded() {
		this.jdbc.execute("create table loose (id int primary key) engine = MyISAM");
		assertThatExceptionOfType(LeaderSchemaException.class).isThrownBy(() -> install("loose"))
			.withMessageContaining("InnoDB");
		this.jdbc.execute("create view seen as select * from invoice");
		assertThatExceptionOfType(LeaderSchemaException.class).isThrownBy(() -> install("seen"));
	}

	@Test
	void truncatePasses() {
		this.jdbc.execute("truncate table invoice");
		assertThat(notes()).isEmpty();
	}

	@Test
	void foreignKeyCascadePasses() {
		this.jdbc.update("insert into unguarded values (1)");
		this.jdbc.execute(
				"create table item (id int primary key, parent int, foreign key (parent) references unguarded (id) on delete cascade)");
		this.jdbc.update("insert into item values (1, 1)");
		install("item");
		refused(FenceTriggers.NO_EPOCH, () -> this.jdbc.update("delete from item"));
		this.jdbc.update("delete from unguarded");
		assertThat(this.jdbc.queryForObject("select count(*) from item", Integer.class)).isZero();
	}

	@ParameterizedTest
	@ValueSource(strings = { "alter table invoice drop column note", "drop table invoice",
			"rename table invoice to archive" })
	void changesOfTheTableItselfPass(String sql) {
		this.jdbc.execute(sql);
	}

	@Test
	void partitionsCanBeDroppedAndExchanged() {
		this.jdbc.execute("create table parted (id int primary key) partition by range (id) "
				+ "(partition low values less than (10), partition high values less than (20))");
		this.jdbc.update("insert into parted values (1), (11)");
		install("parted");
		this.jdbc.execute("alter table parted truncate partition low");
		this.jdbc.execute("create table swap (id int primary key)");
		this.jdbc.execute("alter table parted exchange partition low with table swap");
		this.jdbc.execute("alter table parted drop partition high");
		assertThat(this.jdbc.queryForObject("select count(*) from parted", Integer.class)).isZero();
	}

	@Test
	void anyClientWithTheCurrentTermMayWrite() throws SQLException {
		try (Connection anybody = this.database.getConnection()) {
			execute(anybody, "set @leader_terms = (select concat_ws(char(9), epoch, term_id, namespace, role) "
					+ "from leader_fence where role = 'invoices')");
			execute(anybody, "delete from invoice");
		}
		assertThat(notes()).isEmpty();
	}

}
