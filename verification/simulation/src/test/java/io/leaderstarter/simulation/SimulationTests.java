package io.leaderstarter.simulation;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;

import io.leaderstarter.election.spi.Platform;
import io.leaderstarter.simulation.Simulation.Outcome;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link Simulation}.
 */
class SimulationTests {

	@Test
	void oneSeedIsOneHistory() {
		for (long seed = 1; seed <= 300; seed++) {
			Outcome outcome = Simulation.run(Plan.of(seed), true);
			assertThat(outcome.violation()).as("violation of seed %d", seed).isNull();
			assertThat(outcome.history()).hasSizeGreaterThan(10)
				.isEqualTo(Simulation.run(Plan.of(seed), true).history());
		}
	}

	/** Sets of the JDK have another order in each process. */
	@Test
	void oneSeedIsOneHistoryInEveryProcess() throws Exception {
		for (long seed = 1; seed <= 3; seed++) {
			Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
					"-cp", System.getProperty("java.class.path"), Simulation.class.getName(), "1", Long.toString(seed))
				.redirectErrorStream(true)
				.start();
			String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			assertThat(process.waitFor()).isZero();
			assertThat(printed.strip()).isEqualTo(Simulation.run(Plan.of(seed), true).toString().strip());
		}
	}

	@Test
	void seedsDiffer() {
		assertThat(LongStream.rangeClosed(1, 20).mapToObj((seed) -> Simulation.run(Plan.of(seed), true).history()))
			.doesNotHaveDuplicates();
	}

	@Test
	void everyFaultIsPlannedAndWhatItIsForHappens() throws Exception {
		Set<Fault.Kind> planned = EnumSet.noneOf(Fault.Kind.class);
		LongStream.rangeClosed(1, 1000)
			.mapToObj(Plan::of)
			.flatMap((plan) -> plan.faults().stream())
			.map(Fault::kind)
			.forEach(planned::add);
		assertThat(planned).containsExactly(Fault.Kind.values());
		Statistics statistics = new Statistics();
		assertThat(Simulation.firstFailure(1, 1000, 2, statistics)).isNull();
		assertThat(
				List.of(statistics.terms, statistics.losses, statistics.calls, statistics.commits, statistics.refused))
			.allMatch((count) -> count > 0);
	}

	@Test
	void whatIsThrownEndsTheSchedule() {
		Scheduler scheduler = new Scheduler();
		assertThat(scheduler.run(10, () -> scheduler.at(scheduler.now() + 1, null, () -> {
			throw new IllegalStateException("wrong");
		}), () -> {
		}, () -> {
		})).hasMessage("wrong");
		scheduler.close();
	}

	@Test
	void threadThatIsBlockedBeyondTheEndOfAScheduleEnds() throws Exception {
		ThreadGroup threads = new ThreadGroup("schedule");
		Thread runner = new Thread(threads, () -> {
			Scheduler scheduler = new Scheduler();
			Host host = new Host("host", scheduler, new SplittableRandom(1), 0);
			scheduler.run(1_000_000, () -> host.sleep(2_000_000), () -> {
			}, host::kill);
			scheduler.close();
		});
		runner.start();
		runner.join();
		await().until(() -> threads.activeCount() == 0);
	}

	@Test
	void workerThatWasStoppedMakesNoStepWhenItIsWoken() {
		Scheduler scheduler = new Scheduler();
		Host host = new Host("host", scheduler, new SplittableRandom(1), 0);
		AtomicInteger steps = new AtomicInteger();
		assertThat(scheduler.run(10_000_000_000L, () -> {
			Platform.Worker worker = host.worker("worker", () -> {
				steps.incrementAndGet();
				return Duration.ofSeconds(1);
			});
			worker.start();
			host.sleep(1_500_000_000);
			worker.stop(Duration.ofSeconds(1));
			worker.wake();
		}, () -> {
		}, host::kill)).isNull();
		scheduler.close();
		assertThat(steps).hasValue(2);
	}

}
