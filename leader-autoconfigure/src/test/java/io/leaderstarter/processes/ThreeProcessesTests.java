package io.leaderstarter.processes;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

import io.leaderstarter.processes.LeaderProcess.Event;
import io.leaderstarter.testsupport.PauseWatch;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Three real processes and what happens to processes: they are stopped, continued, killed
 * and asked to end.
 */
@Tag("verify")
class ThreeProcessesTests {

	private static final Duration TTL = Duration.ofSeconds(3);

	@TempDir
	private Path folder;

	private EmbeddedPostgres postgres;

	private final List<LeaderProcess> processes = new ArrayList<>();

	private final PauseWatch watch = new PauseWatch();

	@BeforeEach
	void start() throws Exception {
		this.postgres = EmbeddedPostgres.builder().setPGStartupWait(Duration.ofMinutes(2)).start();
		for (int i = 1; i <= 3; i++) {
			this.processes.add(LeaderProcess.start(this.folder, "node-" + i,
					List.of("spring.application.name=processes", "spring.main.web-application-type=none",
							"spring.main.keep-alive=true", "spring.main.banner-mode=off",
							"spring.datasource.url=" + this.postgres.getJdbcUrl("postgres", "postgres"),
							"leader.lease.ttl=" + TTL.toMillis() + "ms")));
		}
		try {
			soon().until(() -> this.processes.stream().allMatch(LeaderProcess::isUp)
					&& this.processes.stream().anyMatch(LeaderProcess::hasWorked));
		}
		catch (ConditionTimeoutException ex) {
			this.processes.forEach((process) -> System.err.println(process.log()));
			throw ex;
		}
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
	void killedLeaderIsFollowedWithinTheLeaseAndASecond() throws Exception {
		LeaderProcess leader = leader();
		long killed = System.nanoTime();
		leader.signal("KILL");
		LeaderProcess successor = successorOf(leader, killed);
		Event first = firstBeginSince(successor, killed);
		assertThatItTookLessThan(TTL.plusSeconds(1), killed, first);
		assertThatEpochsAreInOrder();
		assertThatExecutionsDoNotOverlap();
	}

	@Test
	void stoppedLeaderIsFollowedAndDoesNothingWhenItGoesOn() throws Exception {
		LeaderProcess leader = leader();
		leader.signal("STOP");
		long stopped = System.nanoTime();
		LeaderProcess successor = successorOf(leader, stopped);
		Event first = firstBeginSince(successor, stopped);
		assertThatItTookLessThan(TTL.plusSeconds(1), stopped, first);
		leader.signal("CONT");
		soon().until(leader::wasRevoked);
		long continued = System.nanoTime();
		soon().until(() -> successor.hasBegunSince(continued));
		// The old leader began nothing after it went on, and no step of it was allowed.
		assertThatEpochsAreInOrder();
		assertThatExecutionsDoNotOverlap();
		assertThat(leader.isAlive()).isTrue();
	}

	@Test
	void leaderThatIsAskedToEndIsFollowedWithinASecond() throws Exception {
		LeaderProcess leader = leader();
		long asked = System.nanoTime();
		leader.signal("TERM");
		LeaderProcess successor = successorOf(leader, asked);
		Event first = firstBeginSince(successor, asked);
		assertThatItTookLessThan(Duration.ofSeconds(1), asked, first);
		soon().until(() -> !leader.isAlive());
		assertThatEpochsAreInOrder();
		assertThatExecutionsDoNotOverlap();
	}

	/**
	 * Not counting how long this process or any of the others was paused, each of which
	 * may say so a little later.
	 */
	private void assertThatItTookLessThan(Duration bound, long since, Event event) {
		Duration took = Duration.ofNanos(event.time() - since);
		soon().atMost(Duration.ofSeconds(5)).untilAsserted(() -> {
			Duration paused = this.watch.between(since, event.time());
			for (LeaderProcess process : this.processes) {
				paused = paused.plus(process.pausedBetween(since, event.time()));
			}
			assertThat(took).isLessThan(bound.plus(paused));
		});
	}

	private LeaderProcess leader() {
		long now = System.nanoTime();
		return soon().until(() -> begunSince(now, (process) -> true), (process) -> process != null);
	}

	private LeaderProcess successorOf(LeaderProcess leader, long since) {
		return soon().until(() -> begunSince(since, (process) -> process != leader), (process) -> process != null);
	}

	private LeaderProcess begunSince(long since, Predicate<LeaderProcess> filter) {
		return this.processes.stream()
			.filter(filter)
			.filter((process) -> process.hasBegunSince(since))
			.findFirst()
			.orElse(null);
	}

	private static Event firstBeginSince(LeaderProcess process, long since) {
		return process.events()
			.stream()
			.filter((event) -> event.kind().equals("begin") && event.time() - since > 0)
			.findFirst()
			.orElseThrow();
	}

	/** Nothing was allowed under an epoch after something was under a later one. */
	private void assertThatEpochsAreInOrder() {
		List<Event> events = this.processes.stream()
			.flatMap((process) -> process.events().stream())
			.filter((event) -> event.kind().equals("begin") || event.kind().equals("step"))
			.sorted(Comparator.comparingLong(Event::time))
			.toList();
		assertThat(events).isSortedAccordingTo(Comparator.comparingLong(Event::epoch));
		Map<Long, LeaderProcess> owners = new HashMap<>();
		for (Event event : events) {
			assertThat(owners.computeIfAbsent(event.epoch(), (epoch) -> event.process())).isSameAs(event.process());
		}
	}

	/** An execution lasts from its beginning until the last step that it was allowed. */
	private void assertThatExecutionsDoNotOverlap() {
		List<Event> events = this.processes.stream()
			.flatMap((process) -> process.events().stream())
			.filter((event) -> event.kind().equals("begin") || event.kind().equals("step"))
			.sorted(Comparator.comparingLong(Event::time))
			.toList();
		LeaderProcess running = null;
		for (Event event : events) {
			assertThat(event.kind().equals("begin") || running == event.process()).as("two executions at once")
				.isTrue();
			running = event.process();
		}
	}

	private static ConditionFactory soon() {
		return Awaitility.await().pollInterval(Duration.ofMillis(10)).atMost(Duration.ofSeconds(90));
	}

}
