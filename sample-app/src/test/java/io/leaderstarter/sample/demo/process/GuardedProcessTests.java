package io.leaderstarter.sample.demo.process;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

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

	@Test
	void idComesBeforeAllThatTheProcessPrints(@TempDir Path folder) {
		// Many at once, so that the shell is not always faster than its child.
		IntStream.range(0, 400).parallel().forEach((number) -> {
			try (GuardedProcess process = GuardedProcess.start(List.of("echo", "at once"),
					folder.resolve("log-" + number), (line) -> {
					})) {
				assertThat(process.id()).isPositive();
			}
		});
	}

}
