package io.leaderstarter.sample.demo.process;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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

	@Test
	void allThatTheProcessPrintedIsInItsLogWhenItIsClosed(@TempDir Path folder) throws Exception {
		Path log = folder.resolve("log");
		CountDownLatch closing = new CountDownLatch(1);
		Thread closer = Thread.currentThread();
		try (GuardedProcess process = GuardedProcess.start(List.of("seq", "1000"), log,
				(line) -> awaitUninterruptibly(closing))) {
			process.onExit().join();
			new Thread(() -> {
				await().atMost(Duration.ofSeconds(10)).until(() -> closer.getState() == Thread.State.TIMED_WAITING);
				closing.countDown();
			}).start();
		}
		assertThat(log).content().startsWith("1\n").endsWith("\n1000\n");
	}

	private static void awaitUninterruptibly(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
