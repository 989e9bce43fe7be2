package io.leaderstarter.backend.support;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.leaderstarter.election.spi.Platform;
import io.leaderstarter.election.spi.TimeSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link FreeRoleHint}.
 */
class FreeRoleHintTests {

	private final SteppedPlatform platform = new SteppedPlatform();

	private final AtomicInteger notified = new AtomicInteger();

	private final FreeRoleHint hint = new FreeRoleHint(this.platform, this.notified::incrementAndGet);

	@AfterEach
	void close() {
		this.hint.close();
	}

	@Test
	void hintsThatComeTogetherArePassedOnOnceAfterARandomTime() {
		assertThat(this.platform.started).isFalse();
		this.hint.give();
		this.hint.give();
		assertThat(this.platform.started).isTrue();
		assertThat(this.platform.woken).isOne();
		assertThat(this.platform.step.get()).isEqualTo(Duration.ofMillis(25));
		this.platform.millis = 24;
		assertThat(this.platform.step.get()).isEqualTo(Duration.ofMillis(1));
		assertThat(this.notified).hasValue(0);
		this.platform.millis = 25;
		this.platform.step.get();
		this.platform.step.get();
		assertThat(this.notified).hasValue(1);
	}

	@Test
	void hintThatComesLaterIsPassedOnAgain() {
		for (int times = 1; times <= 3; times++) {
			this.hint.give();
			this.platform.millis += 25;
			this.platform.step.get();
			assertThat(this.notified).hasValue(times);
		}
	}

	@Test
	void closedHintIsNotPassedOn() {
		this.hint.give();
		this.hint.close();
		this.hint.give();
		this.platform.millis = 100;
		this.platform.step.get();
		assertThat(this.notified).hasValue(0);
		assertThat(this.platform.woken).isOne();
		assertThat(this.platform.stopped).isTrue();
	}

	@Test
	void threadsOfTheProcessPassHintsOn() {
		FreeRoleHint real = new FreeRoleHint(Platform.SYSTEM, this.notified::incrementAndGet);
		try {
			real.give();
			await().atMost(Duration.ofSeconds(30)).until(() -> this.notified.get() == 1);
			real.give();
			await().atMost(Duration.ofSeconds(30)).until(() -> this.notified.get() == 2);
		}
		finally {
			real.close();
		}
	}

	/** Its worker runs a step when the test calls it. */
	private static final class SteppedPlatform implements Platform, Platform.Worker, TimeSource {

		private Supplier<Duration> step;

		private long millis;

		private boolean started;

		private boolean stopped;

		private int woken;

		@Override
		public TimeSource time() {
			return this;
		}

		@Override
		public TimeSource processTime() {
			return this;
		}

		@Override
		public long nanoTime() {
			return this.millis * 1_000_000;
		}

		@Override
		public long currentTimeMillis() {
			return this.millis;
		}

		@Override
		public Worker worker(String name, Supplier<Duration> step) {
			this.step = step;
			return this;
		}

		@Override
		public Executor executor(String name, int threads) {
			return Runnable::run;
		}

		@Override
		public boolean await(BooleanSupplier condition, Duration timeout) {
			return condition.getAsBoolean();
		}

		@Override
		public double random() {
			return 0.5;
		}

		@Override
		public String randomId() {
			return "id";
		}

		@Override
		public void start() {
			this.started = true;
		}

		@Override
		public void wake() {
			this.woken++;
		}

		@Override
		public boolean stop(Duration timeout) {
			this.stopped = true;
			return true;
		}

	}

}
