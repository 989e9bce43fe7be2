package io.leaderstarter.election;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Isolated;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link DeadlineWatchdog.PauseDetector}.
 */
@Isolated("other tests log the same")
@ExtendWith(OutputCaptureExtension.class)
class PauseDetectorTests {

	private final ManualTime time = new ManualTime();

	private final DeadlineWatchdog.PauseDetector detector = new DeadlineWatchdog.PauseDetector(this.time,
			Duration.ofSeconds(15));

	@Test
	void threadThatComesBackLateWasPaused(CapturedOutput output) {
		waitFor(Duration.ofSeconds(1), Duration.ofMillis(1500));
		assertThat(this.detector.longest()).isEqualTo(Duration.ofMillis(500));
		waitFor(Duration.ofSeconds(1), Duration.ofMillis(1200));
		assertThat(this.detector.longest()).isEqualTo(Duration.ofMillis(500));
		assertThat(output).doesNotContain("was paused for");
	}

	@Test
	void threadThatIsWokenEarlyWasNot() {
		waitFor(Duration.ofSeconds(1), Duration.ofMillis(10));
		assertThat(this.detector.longest()).isZero();
	}

	@Test
	void pauseOfMoreThanAThirdOfTheTtlIsLoggedWithAdvice(CapturedOutput output) {
		waitFor(Duration.ofSeconds(1), Duration.ofMillis(6001));
		assertThat(output).contains("paused for 5001 ms").contains("leader.lease.ttl is 15000 ms");
	}

	@Test
	void timeBetweenAStopAndAStartIsNoPause(CapturedOutput output) {
		this.detector.waits(Duration.ofSeconds(1));
		this.detector.reset();
		this.time.pass(Duration.ofHours(1));
		this.detector.awake();
		assertThat(this.detector.longest()).isZero();
		assertThat(output).doesNotContain("was paused for");
	}

	private void waitFor(Duration wanted, Duration taken) {
		this.detector.waits(wanted);
		this.time.pass(taken);
		this.detector.awake();
	}

}
