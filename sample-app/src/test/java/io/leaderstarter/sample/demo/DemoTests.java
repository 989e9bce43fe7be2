package io.leaderstarter.sample.demo;

import java.nio.file.Path;
import java.util.List;

import io.leaderstarter.sample.demo.RunningDemo.Zombie;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Demo}, with all of its processes.
 */
@Tag("verify")
class DemoTests {

	@Test
	void frozenLeaderIsFollowedAndTheDatabaseRefusesWhatItWritesThen(@TempDir Path folder) throws Exception {
		List<ProcessHandle> processes;
		try (RunningDemo demo = RunningDemo.start(folder, 25)) {
			Zombie zombie = demo.freezeLeaderUntilTheDatabaseRefuses((node) -> demo.act(node, "freeze"));
			JsonNode after = demo.awaitWork();
			String successor = RunningDemo.leader(after, "invoices").orElseThrow();
			assertThat(successor).isNotEqualTo(zombie.name());
			assertThat(RunningDemo.role(RunningDemo.node(after, successor), "invoices").path("epoch").asLong())
				.isGreaterThan(zombie.epoch());
			demo.await((state) -> RunningDemo.total(state, "landed") > RunningDemo.total(after, "landed"));
			assertThat(RunningDemo.total(demo.state(), "stale")).isZero();
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
