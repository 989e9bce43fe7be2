package io.leaderstarter.processes;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.leaderstarter.processes.LeaderProcess.Event;
import io.leaderstarter.testsupport.PauseWatch;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.jdbc.core.simple.JdbcClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of a deploy: a process that is asked to end while its job runs lets it finish,
 * with all that the job needs, and the other one begins right after.
 */
@Tag("verify")
class DrainTests {

	private static final Duration WORK = Duration.ofSeconds(10);

	/** Longer than this test waits for anything. */
	private static final Duration LONG = Duration.ofMinutes(10);

	@TempDir
	private Path folder;

	private EmbeddedPostgres postgres;

	private final List<LeaderProcess> processes = new ArrayList<>();

	private final PauseWatch watch = new PauseWatch();

	@BeforeEach
	void start() throws Exception {
		this.postgres = EmbeddedPostgres.builder().setPGStartupWait(Duration.ofMinutes(2)).start();
		database().sql("create table done (epoch bigint)").update();
	}

	@AfterEach
	void end() throws Exception {
		for (LeaderProcess process : this.processes) {
			process.end();
		}
		this.postgres.close();
		this.watch.close();
	}

	@Test
	void jobFinishesAndTheSuccessorBeginsRightAfter() throws Exception {
		LeaderProcess leader = startProcess("leader");
		soon().until(leader::hasWorked);
		LeaderProcess successor = startProcess("successor");
		soon().until(successor::isUp);
		// In the middle of a run, with most of it ahead.
		int runs = count(leader, "begin");
		soon().until(() -> count(leader, "begin") > runs);
		long asked = System.nanoTime();
		leader.signal("TERM");
		soon().until(() -> successor.hasWorked() && !leader.isAlive());
		Event end = last(leader, "end");
		// Unless this process was paused, and came late.
		Duration late = this.watch.between(last(leader, "begin").time(), asked);
		assertThat(Duration.ofNanos(end.time() - asked).plus(late)).isGreaterThan(WORK.dividedBy(2));
		assertThat(last(leader, "asked").epoch()).isEqualTo(end.epoch());
		assertThat(last(leader, "serving").epoch()).as("the web server goes on until the job has ended")
			.isEqualTo(end.epoch());
		assertThat(last(leader, "begin").time()).isLessThan(asked);
		assertThat(database().sql("select count(*) from done where epoch = ?")
			.param(end.epoch())
			.query(Long.class)
			.single()).isEqualTo(count(leader, "end"));
		Event begin = successor.events()
			.stream()
			.filter((event) -> event.kind().equals("begin"))
			.findFirst()
			.orElseThrow();
		Duration gap = Duration.ofNanos(begin.time() - end.time());
		System.out.printf("The successor began %d ms after the job had ended.%n", gap.toMillis());
		// Neither a poll nor the end of the lease was due: the successor was notified.
		assertThat(gap).isPositive().isLessThan(LONG);
		assertThat(begin.epoch()).isEqualTo(end.epoch() + 1);
	}

	private LeaderProcess startProcess(String name) throws Exception {
		LeaderProcess process = LeaderProcess.start(this.folder, name, DrainApplication.class,
				List.of("spring.application.name=drain", "server.port=0", "spring.main.banner-mode=off",
						"spring.datasource.url=" + this.postgres.getJdbcUrl("postgres", "postgres"),
						"leader.lease.ttl=" + LONG, "leader.jdbc.poll-interval=" + LONG,
						"leader.shutdown.drain-timeout=" + WORK.toSeconds() * 4 + "s", "work=" + WORK));
		this.processes.add(process);
		return process;
	}

	private JdbcClient database() {
		return JdbcClient.create(this.postgres.getPostgresDatabase());
	}

	private static int count(LeaderProcess process, String kind) {
		return (int) process.events().stream().filter((event) -> event.kind().equals(kind)).count();
	}

	private static Event last(LeaderProcess process, String kind) {
		return process.events()
			.stream()
			.filter((event) -> event.kind().equals(kind))
			.reduce((earlier, later) -> later)
			.orElseThrow();
	}

	private static ConditionFactory soon() {
		return Awaitility.await().atMost(Duration.ofSeconds(120)).pollInterval(Duration.ofMillis(20));
	}

}
