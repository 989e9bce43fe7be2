package io.leaderstarter.sample.demo;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Demo}, with all of its processes.
 */
class DemoTests {

	@Test
	void frozenLeaderIsFollowedAndWhatItWritesThenIsRefused(@TempDir Path folder) throws Exception {
		List<ProcessHandle> processes;
		try (RunningDemo demo = RunningDemo.start(folder, 10)) {
			JsonNode before = demo.awaitWork();
			String zombie = RunningDemo.leader(before, "invoices").orElseThrow();
			long epoch = RunningDemo.role(RunningDemo.node(before, zombie), "invoices").path("epoch").asLong();
			demo.act(zombie, "freeze");
			JsonNode followed = demo
				.await((state) -> RunningDemo.node(state, zombie).path("phase").asString().equals("FROZEN")
						&& RunningDemo.leader(state, "invoices")
							.filter((leader) -> !leader.equals(zombie))
							.isPresent());
			String successor = RunningDemo.leader(followed, "invoices").orElseThrow();
			assertThat(RunningDemo.role(RunningDemo.node(followed, successor), "invoices").path("epoch").asLong())
				.isGreaterThan(epoch);
			JsonNode after = demo.await((state) -> state.path("totals").path("refused").asLong() > 0
					&& RunningDemo.role(RunningDemo.node(state, zombie), "invoices")
						.path("state")
						.asString()
						.equals("FOLLOWER"));
			assertThat(RunningDemo.leader(after, "invoices")).isEqualTo(Optional.of(successor));
			demo.await((state) -> state.path("totals").path("landed").asLong() > after.path("totals")
				.path("landed")
				.asLong());
			assertThat(demo.state().path("totals").path("stale").asLong()).isZero();
			processes = demo.processes();
			// The shells that guard three nodes and the database, and what they guard.
			assertThat(processes).hasSizeGreaterThanOrEqualTo(8);
		}
		RunningDemo.eventually().until(() -> processes.stream().noneMatch(ProcessHandle::isAlive));
	}

	@Test
	void nothingIsLeftIfWhoeverStartedTheDemoIsKilled(@TempDir Path folder) throws Exception {
		List<ProcessHandle> processes = RunningDemo.startBelowAShellThatIsKilled(folder);
		assertThat(processes).hasSizeGreaterThanOrEqualTo(5);
		RunningDemo.eventually().until(() -> processes.stream().noneMatch(ProcessHandle::isAlive));
	}

	@Test
	void nothingIsLeftIfTheDemoIsKilledWhileANodeIsFrozen(@TempDir Path folder) throws Exception {
		try (RunningDemo demo = RunningDemo.start(folder, 600)) {
			demo.awaitWork();
			demo.act("node-2", "freeze");
			demo.await((state) -> RunningDemo.node(state, "node-2").path("phase").asString().equals("FROZEN"));
			List<ProcessHandle> processes = demo.processes();
			assertThat(processes).hasSizeGreaterThanOrEqualTo(8);
			demo.kill();
			RunningDemo.eventually().until(() -> processes.stream().noneMatch(ProcessHandle::isAlive));
		}
	}

}
