package io.leaderstarter.processes;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.leaderstarter.processes.LeaderProcess.Event;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of an application with work of every shape, as two processes: all of it runs on
 * the one that leads, and then on the other.
 */
@Tag("verify")
class WorkTests {

	private static final List<String> SHAPES = List.of("granted", "plain", "stream", "awaited", "optional", "future",
			"async", "inCode");

	@TempDir
	private Path folder;

	private EmbeddedPostgres postgres;

	private final List<LeaderProcess> processes = new ArrayList<>();

	@BeforeEach
	void start() throws Exception {
		this.postgres = EmbeddedPostgres.builder().setPGStartupWait(Duration.ofMinutes(2)).start();
	}

	@AfterEach
	void end() throws Exception {
		for (LeaderProcess process : this.processes) {
			process.end();
			// Shown with the results of a test that failed.
			System.out.println(process.log());
		}
		this.postgres.close();
	}

	@Test
	void workOfEveryShapeRunsOnTheOneThatLeads() throws Exception {
		LeaderProcess first = startProcess("first");
		soon().until(() -> SHAPES.stream().allMatch(first::has) && first.has("hourly"));
		LeaderProcess second = startProcess("second");
		soon().until(second::isUp);
		// Each had its turn, one after the other, with a term of its own.
		assertThat(first.events()).filteredOn((event) -> event.kind().equals("migrated"))
			.extracting(Event::epoch)
			.containsExactly(1L);
		assertThat(second.events()).filteredOn((event) -> event.kind().equals("migrated"))
			.extracting(Event::epoch)
			.containsExactly(2L);
		assertThat(SHAPES).noneMatch(second::has);
		first.signal("TERM");
		soon().until(() -> SHAPES.stream().allMatch(second::has) && !first.isAlive());
		Event last = first.events()
			.stream()
			.filter((event) -> SHAPES.contains(event.kind()))
			.reduce((one, other) -> (other.time() > one.time()) ? other : one)
			.orElseThrow();
		assertThat(second.events()).filteredOn((event) -> SHAPES.contains(event.kind()))
			.allSatisfy((event) -> assertThat(event.epoch()).isEqualTo(2))
			.allSatisfy((event) -> assertThat(event.time()).isGreaterThan(last.time()));
		assertThat(second.has("hourly")).as("what the first one has run this hour").isFalse();
	}

	private LeaderProcess startProcess(String name) throws Exception {
		LeaderProcess process = LeaderProcess.start(this.folder, name, WorkApplication.class,
				List.of("spring.application.name=work", "spring.main.web-application-type=none",
						"spring.main.keep-alive=true", "spring.main.banner-mode=off",
						"spring.task.scheduling.pool.size=5",
						"spring.datasource.url=" + this.postgres.getJdbcUrl("postgres", "postgres")));
		this.processes.add(process);
		return process;
	}

	private static ConditionFactory soon() {
		return Awaitility.await().atMost(Duration.ofSeconds(120)).pollInterval(Duration.ofMillis(20));
	}

}
