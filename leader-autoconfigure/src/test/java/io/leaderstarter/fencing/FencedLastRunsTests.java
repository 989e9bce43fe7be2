package io.leaderstarter.fencing;

import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;

import io.leaderstarter.StaleLeaderException;
import io.leaderstarter.jdbc.LeaderSchemaException;
import io.leaderstarter.jdbc.SchemaInitialization;
import io.leaderstarter.testsupport.TestDatabase;
import io.leaderstarter.testsupport.TestTerm;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link FencedLastRuns}.
 */
@ParameterizedClass
@EnumSource
class FencedLastRunsTests {

	private static final Duration HOUR = Duration.ofHours(1);

	private final TestTerm term = new TestTerm("role", 7);

	private final TestTerm next = new TestTerm("role", 8);

	@Parameter
	TestDatabase kind;

	private DriverManagerDataSource database;

	private Fence fence;

	private FencedLastRuns lastRuns;

	@BeforeEach
	void makeFence() {
		this.database = this.kind.make();
		this.fence = fence(SchemaInitialization.ALWAYS);
		this.lastRuns = new FencedLastRuns(new Fences(List.of(this.fence), true, List.of()));
		this.lastRuns.require("role");
		this.fence.prepare();
		this.fence.raise(this.term.leadership(), "store");
	}

	@AfterEach
	void close() {
		this.fence.close();
	}

	@Test
	void taskBeginsOnceInItsPeriodOnAllMembers() {
		assertThat(this.lastRuns.begin(this.term, "task", HOUR)).isTrue();
		assertThat(this.lastRuns.begin(this.term, "task", HOUR)).isFalse();
		this.fence.raise(this.next.leadership(), "store");
		assertThat(this.lastRuns.begin(this.next, "task", HOUR)).isFalse();
		assertThat(epochs()).containsExactly(7L);
	}

	@Test
	void taskBeginsAgainWhenItsTimeIsOver() {
		this.lastRuns.begin(this.term, "task", HOUR);
		this.fence.raise(this.next.leadership(), "store");
		new JdbcTemplate(this.database).update("update leader_last_run set begun_at_us = begun_at_us - 3600000000");
		assertThat(this.lastRuns.begin(this.next, "task", HOUR)).isTrue();
		assertThat(this.lastRuns.begin(this.next, "task", HOUR)).isFalse();
		assertThat(epochs()).containsExactly(8L);
	}

	@Test
	void tasksAreIndependent() {
		String common = "very.long.package.".repeat(20);
		assertThat(this.lastRuns.begin(this.term, common + "One.run", HOUR)).isTrue();
		assertThat(this.lastRuns.begin(this.term, common + "Two.run", HOUR)).isTrue();
		TestTerm other = new TestTerm("other", 1);
		this.fence.raise(other.leadership(), "store");
		assertThat(this.lastRuns.begin(other, common + "One.run", HOUR)).isTrue();
		assertThat(this.lastRuns.begin(this.term, common + "One.run", HOUR)).isFalse();
	}

	@Test
	void zombieTakesNoRunAwayFromItsSuccessor() {
		this.fence.raise(this.next.leadership(), "store");
		assertThatExceptionOfType(StaleLeaderException.class)
			.isThrownBy(() -> this.lastRuns.begin(this.term, "task", HOUR));
		assertThat(epochs()).isEmpty();
		assertThat(this.lastRuns.begin(this.next, "task", HOUR)).isTrue();
	}

	@Test
	void roleWithoutAFencedDatabaseHasNoRecords() {
		try (Fence ofOtherRoles = fence(SchemaInitialization.ALWAYS, (role) -> false)) {
			FencedLastRuns none = new FencedLastRuns(new Fences(List.of(ofOtherRoles), true, List.of()));
			assertThatIllegalStateException().isThrownBy(() -> none.require("role"))
				.withMessageContaining("no fenced database");
		}
	}

	@Test
	void tableThatMayNotBeMadeIsAskedForWhenTheFenceIsPrepared() {
		new JdbcTemplate(this.database).execute("drop table leader_last_run");
		try (Fence never = fence(SchemaInitialization.NEVER)) {
			never.prepare();
			assertThatExceptionOfType(LeaderSchemaException.class).isThrownBy(never::keepLastRuns)
				.satisfies((failure) -> assertThat(failure.getAdvice()).contains("schema-last_run-"));
		}
	}

	private Fence fence(SchemaInitialization initialization) {
		return fence(initialization, (role) -> true);
	}

	private Fence fence(SchemaInitialization initialization, Predicate<String> roles) {
		return new Fence("db", this.database, this.database,
				TestFence.settings("test", "leader_", initialization, Duration.ofSeconds(10), Duration.ofSeconds(10)),
				roles);
	}

	private List<Long> epochs() {
		return new JdbcTemplate(this.database).queryForList("select epoch from leader_last_run", Long.class);
	}

}
