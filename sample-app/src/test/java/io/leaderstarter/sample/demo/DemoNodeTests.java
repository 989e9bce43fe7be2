package io.leaderstarter.sample.demo;

import java.nio.file.Path;
import java.util.List;

import io.leaderstarter.sample.demo.NodeView.Phase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link DemoNode}.
 */
class DemoNodeTests {

	private static final String READY = "@demo {\"kind\": \"ready\", \"number\": 4711, \"at\": 1}";

	@Test
	void onlyTheProcessThatRunsMakesItReady(@TempDir Path folder) {
		try (DemoNode node = new DemoNode("node-1", List.of("sleep", "60"), folder.resolve("log"), new EventLog(),
				(from, report) -> {
				})) {
			node.start();
			node.kill();
			RunningDemo.eventually().until(() -> node.view().phase() == Phase.ENDED);
			node.onLine(1, READY);
			assertThat(node.view().phase()).isEqualTo(Phase.ENDED);
			node.start();
			node.onLine(1, READY);
			assertThat(node.view().phase()).isEqualTo(Phase.STARTING);
			node.onLine(2, READY);
			assertThat(node.view().phase()).isEqualTo(Phase.UP);
			assertThat(node.view().port()).isEqualTo(4711);
		}
	}

}
