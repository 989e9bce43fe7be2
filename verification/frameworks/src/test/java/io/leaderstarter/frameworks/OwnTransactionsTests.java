package io.leaderstarter.frameworks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;

import javax.sql.DataSource;

import io.leaderstarter.LeaderElections;
import io.leaderstarter.LeaderOnly;
import io.leaderstarter.StaleLeaderException;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.mapping.Environment;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactory;
import org.apache.ibatis.session.SqlSessionFactoryBuilder;
import org.apache.ibatis.transaction.jdbc.JdbcTransactionFactory;
import org.awaitility.Awaitility;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * What commits without Spring, over a {@code DataSource} that is wrapped.
 */
@ParameterizedClass
@EnumSource
class OwnTransactionsTests {

	private static final String URL = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";

	/** Neither leader election nor the fence see what is done here. */
	private static final JdbcTemplate outside = new JdbcTemplate(new DriverManagerDataSource(URL, "sa", ""));

	private static ConfigurableApplicationContext context;

	/** What counts the epochs. */
	@Parameter
	private Backend backend;

	@BeforeParameterizedClassInvocation
	static void start(Backend backend) {
		context = SpringApplication.run(Application.class,
				backend.arguments("--spring.application.name=own-transactions", "--spring.datasource.url=" + URL,
						"--spring.datasource.username=sa", "--spring.main.web-application-type=none",
						"--spring.jpa.hibernate.ddl-auto=none", "--spring.main.banner-mode=off",
						"--logging.level.root=warn", "--logging.level.io.leaderstarter.backend.jdbc.DatabaseUrl=error",
						"--leader.fence.wrap-data-sources=true"));
		outside.execute("create table note (id varchar(36) primary key)");
	}

	@AfterParameterizedClassInvocation
	static void stop() {
		context.close();
		outside.execute("drop all objects");
	}

	@BeforeEach
	void awaitLeadership() {
		outside.update("delete from note");
		Awaitility.await()
			.atMost(Duration.ofSeconds(20))
			.until(() -> context.getBean(LeaderElections.class).election("notes").isLeader());
	}

	@ParameterizedTest
	@MethodSource("writers")
	void leaderWrites(String name, Consumer<Notes> writer) {
		writer.accept(context.getBean(Notes.class));
		assertThat(notes()).isEqualTo(1);
	}

	@ParameterizedTest
	@MethodSource("writers")
	void deposedMemberIsRefusedAndUndone(String name, Consumer<Notes> writer) {
		Notes notes = context.getBean(Notes.class);
		String termId = context.getBean(LeaderElections.class).election("notes").leadership().orElseThrow().termId();
		// A later leader, which this member does not know yet, has raised the fence.
		outside.update("update leader_fence set epoch = epoch + 1, term_id = 'later'");
		try {
			// Each library has an exception of its own around it.
			assertThatException().isThrownBy(() -> writer.accept(notes))
				.matches((ex) -> ex instanceof StaleLeaderException || ex.getCause() instanceof StaleLeaderException,
						"caused by the fence");
			assertThat(notes()).isZero();
		}
		finally {
			outside.update("update leader_fence set epoch = epoch - 1, term_id = ?", termId);
		}
	}

	@Test
	void transactionThatWasBegunBeforeTheCallIsCheckedWhenItCommitsAfterIt() {
		Notes notes = context.getBean(Notes.class);
		String termId = context.getBean(LeaderElections.class).election("notes").leadership().orElseThrow().termId();
		try {
			assertThatException().isThrownBy(() -> notes.jooq().transaction((configuration) -> {
				notes.byJooqOf(configuration.dsl());
				// The lock of H2 is that of the whole row, so nobody may have it yet.
				outside.update("update leader_fence set epoch = epoch + 1, term_id = 'later'");
			})).matches((ex) -> ex.getCause() instanceof StaleLeaderException, "caused by the fence");
			assertThat(notes()).isZero();
		}
		finally {
			outside.update("update leader_fence set epoch = epoch - 1, term_id = ?", termId);
		}
	}

	static Stream<Arguments> writers() {
		return Stream.of(writer("autocommit", Notes::byStatement), writer("commit by hand", Notes::byHand),
				writer("jOOQ's transaction", Notes::byJooq), writer("MyBatis' session", Notes::byMyBatis),
				writer("Spring's transaction", Notes::bySpring));
	}

	private static Arguments writer(String name, Consumer<Notes> writer) {
		return Arguments.of(name, writer);
	}

	private static long notes() {
		return outside.queryForObject("select count(*) from note", Long.class);
	}

	@org.springframework.context.annotation.Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		Notes notes(DataSource dataSource) {
			return new Notes(dataSource);
		}

	}

	/** One duty, written in each way. */
	static class Notes {

		private final DataSource dataSource;

		private final JdbcTemplate jdbc;

		private final DSLContext jooq;

		private final SqlSessionFactory sessions;

		Notes(DataSource dataSource) {
			this.dataSource = dataSource;
			this.jdbc = new JdbcTemplate(dataSource);
			this.jooq = DSL.using(dataSource, SQLDialect.H2);
			Configuration configuration = new Configuration(
					new Environment("own", new JdbcTransactionFactory(), dataSource));
			configuration.addMapper(NoteMapper.class);
			this.sessions = new SqlSessionFactoryBuilder().build(configuration);
		}

		@LeaderOnly("notes")
		public void byStatement() {
			this.jdbc.update("insert into note values (?)", id());
		}

		@LeaderOnly("notes")
		public void byHand() {
			try (Connection connection = this.dataSource.getConnection()) {
				connection.setAutoCommit(false);
				try (PreparedStatement statement = connection.prepareStatement("insert into note values (?)")) {
					statement.setString(1, id());
					statement.executeUpdate();
					connection.commit();
				}
				finally {
					connection.rollback();
					connection.setAutoCommit(true);
				}
			}
			catch (SQLException ex) {
				throw new IllegalStateException(ex);
			}
		}

		@LeaderOnly("notes")
		public void byJooq() {
			this.jooq.transaction((configuration) -> configuration.dsl()
				.insertInto(DSL.table("note"))
				.columns(DSL.field("id"))
				.values(id())
				.execute());
		}

		@LeaderOnly("notes")
		public void byJooqOf(DSLContext transaction) {
			transaction.insertInto(DSL.table("note")).columns(DSL.field("id")).values(id()).execute();
		}

		public DSLContext jooq() {
			return this.jooq;
		}

		@LeaderOnly("notes")
		public void byMyBatis() {
			try (SqlSession session = this.sessions.openSession()) {
				session.getMapper(NoteMapper.class).insert(id());
				session.commit();
			}
		}

		@LeaderOnly("notes")
		@Transactional
		public void bySpring() {
			this.jdbc.update("insert into note values (?)", id());
		}

		private static String id() {
			return UUID.randomUUID().toString();
		}

	}

	interface NoteMapper {

		@Insert("insert into note values (#{id})")
		void insert(String id);

	}

}
