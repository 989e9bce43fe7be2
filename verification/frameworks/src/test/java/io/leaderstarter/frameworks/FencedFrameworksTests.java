package io.leaderstarter.frameworks;

import java.time.Duration;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;

import javax.sql.DataSource;

import io.leaderstarter.LeaderElections;
import io.leaderstarter.LeaderOnly;
import io.leaderstarter.StaleLeaderException;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.session.SqlSessionFactory;
import org.awaitility.Awaitility;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.mybatis.spring.SqlSessionFactoryBean;
import org.mybatis.spring.mapper.MapperFactoryBean;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.jdbc.core.JdbcAggregateTemplate;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.jpa.repository.config.EnableJpaRepositories;
import org.springframework.data.repository.Repository;
import org.springframework.data.repository.query.Param;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * That a deposed member's write is refused and undone, whatever library writes it.
 */
@ParameterizedClass
@EnumSource
class FencedFrameworksTests {

	private static final String URL = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";

	/** The database, seen by somebody who has nothing to do with the application. */
	private static final JdbcTemplate outside = new JdbcTemplate(new DriverManagerDataSource(URL, "sa", ""));

	private static ConfigurableApplicationContext context;

	/** What counts the epochs. */
	@Parameter
	private Backend backend;

	@BeforeParameterizedClassInvocation
	static void start(Backend backend) {
		context = SpringApplication.run(Application.class,
				backend.arguments("--spring.application.name=frameworks", "--spring.datasource.url=" + URL,
						"--spring.datasource.username=sa", "--spring.main.web-application-type=none",
						"--spring.jpa.hibernate.ddl-auto=none", "--spring.main.banner-mode=off",
						"--logging.level.root=warn",
						"--logging.level.io.leaderstarter.backend.jdbc.DatabaseUrl=error"));
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
			assertThatExceptionOfType(StaleLeaderException.class).isThrownBy(() -> writer.accept(notes));
			assertThat(notes()).isZero();
		}
		finally {
			outside.update("update leader_fence set epoch = epoch - 1, term_id = ?", termId);
		}
	}

	static Stream<Arguments> writers() {
		return Stream.of(writer("JdbcTemplate", Notes::byJdbcTemplate), writer("JdbcClient", Notes::byJdbcClient),
				writer("JPA", Notes::byJpa), writer("Spring Data JDBC", Notes::bySpringDataJdbc),
				writer("jOOQ", Notes::byJooq), writer("MyBatis", Notes::byMyBatis),
				writer("a repository that is @LeaderOnly",
						(notes) -> context.getBean(NoteRepository.class).insert(id())),
				writer("a mapper that is @LeaderOnly",
						(notes) -> context.getBean(NoteMapper.class).insertAsLeader(id())));
	}

	private static Arguments writer(String name, Consumer<Notes> writer) {
		return Arguments.of(name, writer);
	}

	private static String id() {
		return UUID.randomUUID().toString();
	}

	private static long notes() {
		return outside.queryForObject("select count(*) from note", Long.class);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EntityScan(basePackageClasses = Note.class)
	@EnableJpaRepositories(considerNestedRepositories = true)
	static class Application {

		@Bean
		Notes notes(JdbcTemplate jdbc, JdbcClient client, EntityManager entities, JdbcAggregateTemplate aggregates,
				DSLContext jooq, NoteMapper mapper, PlatformTransactionManager manager) {
			assertThat(manager).isInstanceOf(JpaTransactionManager.class);
			return new Notes(jdbc, client, entities, aggregates, jooq, mapper);
		}

		@Bean
		DSLContext jooq(DataSource dataSource) {
			return DSL.using(new TransactionAwareDataSourceProxy(dataSource), SQLDialect.H2);
		}

		@Bean
		SqlSessionFactoryBean sqlSessionFactory(DataSource dataSource) {
			SqlSessionFactoryBean factory = new SqlSessionFactoryBean();
			factory.setDataSource(dataSource);
			return factory;
		}

		@Bean
		MapperFactoryBean<NoteMapper> noteMapper(SqlSessionFactory factory) {
			MapperFactoryBean<NoteMapper> mapper = new MapperFactoryBean<>(NoteMapper.class);
			mapper.setSqlSessionFactory(factory);
			factory.getConfiguration().addMapper(NoteMapper.class);
			return mapper;
		}

	}

	/** One duty, written with each library. */
	static class Notes {

		private final JdbcTemplate jdbc;

		private final JdbcClient client;

		private final EntityManager entities;

		private final JdbcAggregateTemplate aggregates;

		private final DSLContext jooq;

		private final NoteMapper mapper;

		Notes(JdbcTemplate jdbc, JdbcClient client, EntityManager entities, JdbcAggregateTemplate aggregates,
				DSLContext jooq, NoteMapper mapper) {
			this.jdbc = jdbc;
			this.client = client;
			this.entities = entities;
			this.aggregates = aggregates;
			this.jooq = jooq;
			this.mapper = mapper;
		}

		@LeaderOnly("notes")
		@Transactional
		public void byJdbcTemplate() {
			this.jdbc.update("insert into note values (?)", id());
		}

		@LeaderOnly("notes")
		@Transactional
		public void byJdbcClient() {
			this.client.sql("insert into note values (?)").param(id()).update();
		}

		@LeaderOnly("notes")
		@Transactional
		public void byJpa() {
			this.entities.persist(new Note(id()));
		}

		@LeaderOnly("notes")
		@Transactional
		public void bySpringDataJdbc() {
			this.aggregates.insert(new NoteRow(id()));
		}

		@LeaderOnly("notes")
		@Transactional
		public void byJooq() {
			this.jooq.insertInto(DSL.table("note")).columns(DSL.field("id")).values(id()).execute();
		}

		@LeaderOnly("notes")
		@Transactional
		public void byMyBatis() {
			this.mapper.insert(id());
		}

	}

	/** A proxy of the interface, made by Spring Data. */
	interface NoteRepository extends Repository<Note, String> {

		@LeaderOnly("notes")
		@Transactional
		@Modifying
		@Query(value = "insert into note values (:id)", nativeQuery = true)
		void insert(@Param("id") String id);

	}

	interface NoteMapper {

		@LeaderOnly("notes")
		@Transactional
		@Insert("insert into note values (#{id})")
		void insertAsLeader(String id);

		@Insert("insert into note values (#{id})")
		void insert(String id);

	}

	@org.springframework.data.relational.core.mapping.Table("NOTE")
	record NoteRow(@org.springframework.data.annotation.Id String id) {
	}

	@Entity
	@Table(name = "note")
	static class Note {

		@Id
		private String id;

		protected Note() {
		}

		Note(String id) {
			this.id = id;
		}

		String id() {
			return this.id;
		}

	}

}
