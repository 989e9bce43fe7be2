package io.leaderstarter.backend.zookeeper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import io.leaderstarter.testsupport.ZooKeeperProcesses;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the deadline when a server is paused before it has reported a session to the
 * others: they count from much earlier than the client might assume, above all if the
 * client was paused before.
 */
@Tag("verify")
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class ZooKeeperPauseTests {

	private final String basePath = "/pauses-" + UUID.randomUUID();

	@TempDir
	private Path folder;

	private Process paused;

	private ZooKeeperMember successor;

	@AfterEach
	void end() throws InterruptedException {
		if (this.successor != null) {
			this.successor.close();
		}
		if (this.paused != null) {
			// Also ends a process that is stopped.
			this.paused.destroyForcibly().waitFor();
		}
	}

	/** The last is that of users: nine seconds of their fifteen. */
	@ParameterizedTest
	@CsvSource({ "4000, 500, 0", "4000, 500, 2400", "15000, 2000, 9000" })
	void termIsOverBeforeTheNextOneBegins(long ttl, long tick, long pause) throws Exception {
		try (ZooKeeperProcesses servers = ZooKeeperProcesses.started(Duration.ofMillis(tick))) {
			int leader = servers.leader();
			int follower = servers.followerBeside(leader);
			start(servers, follower, Duration.ofMillis(ttl), Duration.ofMillis(tick));
			soon().until(() -> times("renewed").size() >= 2);
			this.successor = ZooKeeperMember.start(servers.connectString(leader), this.basePath, Duration.ofMillis(ttl),
					Duration.ofMillis(tick), "duty");
			soon().until(() -> this.successor.epoch("duty") > 0);
			if (pause > 0) {
				pauseAfterARenewal(pause);
			}
			else {
				Files.createFile(armed());
			}
			soon().until(() -> this.successor.granted.get() != null);
			// On a slow machine a paused member may wake up too late to be renewed.
			assertThat(pause > 0 || !times("freezes").isEmpty()).isTrue();
			soon().until(() -> times("led").size() == times("leads").size());
			List<Long> led = times("led");
			assertThat(this.successor.granted.get().nanos() - led.get(led.size() - 1)).isPositive();
		}
	}

	private void pauseAfterARenewal(long millis) throws Exception {
		int renewals = times("renewed").size();
		soon().until(() -> times("renewed").size() > renewals);
		signal("STOP");
		Files.createFile(armed());
		Thread.sleep(millis);
		signal("CONT");
	}

	private void start(ZooKeeperProcesses servers, int server, Duration ttl, Duration tick) throws IOException {
		this.paused = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-XX:TieredStopAtLevel=1", "-Xmx64m", "-cp", System.getProperty("java.class.path"),
				PausedMember.class.getName(), history().toString(), armed().toString(),
				Long.toString(servers.id(server)), servers.connectString(server), this.basePath, ttl.toString(),
				tick.toString())
			.inheritIO()
			.start();
	}

	private void signal(String signal) throws Exception {
		Process kill = new ProcessBuilder("sh", "-c", "kill -%s %d".formatted(signal, this.paused.pid())).start();
		assertThat(kill.waitFor()).isZero();
	}

	private Path history() {
		return this.folder.resolve("history");
	}

	private Path armed() {
		return this.folder.resolve("armed");
	}

	/** When something happened in the other process so far. */
	private List<Long> times(String what) throws IOException {
		if (!Files.exists(history())) {
			return List.of();
		}
		// The last line may be half written.
		String text = Files.readString(history());
		return text.substring(0, text.lastIndexOf('\n') + 1)
			.lines()
			.filter((line) -> line.startsWith(what + " "))
			.map((line) -> Long.parseLong(line.substring(what.length() + 1)))
			.toList();
	}

	private static ConditionFactory soon() {
		return Awaitility.await().pollInterval(Duration.ofMillis(5)).atMost(Duration.ofSeconds(60));
	}

}
