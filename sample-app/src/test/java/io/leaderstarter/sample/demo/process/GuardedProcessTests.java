package io.leaderstarter.sample.demo.process;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link GuardedProcess}.
 */
class GuardedProcessTests {

	@Test
	void lineOfWhichNothingCanBeMadeEndsNothing(@TempDir Path folder) throws Exception {
		BlockingQueue<String> understood = new LinkedBlockingQueue<>();
		Path log = folder.resolve("log");
		try (GuardedProcess process = GuardedProcess.start(List.of("sh", "-c", "echo first; echo second; sleep 60"),
				log, (line) -> {
					if (line.equals("first")) {
						throw new IllegalArgumentException("What is this?");
					}
					understood.add(line);
				})) {
			assertThat(understood.poll(60, TimeUnit.SECONDS)).isEqualTo("second");
			assertThat(process.isAlive()).isTrue();
		}
		assertThat(Files.readAllLines(log)).startsWith("first", "second");
	}

}
