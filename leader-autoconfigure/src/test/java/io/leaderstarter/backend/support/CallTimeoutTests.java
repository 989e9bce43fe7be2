package io.leaderstarter.backend.support;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

import io.leaderstarter.election.spi.StoreException;
import io.leaderstarter.election.spi.TimeSource;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link CallTimeout}, {@link Prepared} and {@link PollInterval}.
 */
class CallTimeoutTests {

	@Test
	void answerIsReturnedAlsoWhenTheTimeIsOver() throws Exception {
		CallTimeout timeout = new CallTimeout(TimeSource.SYSTEM, Duration.ZERO, "the store");
		assertThat(timeout.await(CompletableFuture.completedFuture("answer"))).isEqualTo("answer");
	}

	@Test
	void allRequestsOfACallShareItsTime() {
		CallTimeout timeout = new CallTimeout(TimeSource.SYSTEM, Duration.ofMillis(1), "the store");
		for (int i = 0; i < 2; i++) {
			assertThatExceptionOfType(TimeoutException.class)
				.isThrownBy(() -> timeout.await(new CompletableFuture<String>()));
		}
	}

	@Test
	void failureIsThatOfTheRequest() {
		CallTimeout timeout = new CallTimeout(TimeSource.SYSTEM, Duration.ofSeconds(30), "the store");
		IllegalArgumentException failure = new IllegalArgumentException("refused");
		assertThatExceptionOfType(ExecutionException.class)
			.isThrownBy(() -> timeout.await(CompletableFuture.failedFuture(failure)))
			.withCause(failure);
	}

	@Test
	void interruptIsKept() {
		CallTimeout timeout = new CallTimeout(TimeSource.SYSTEM, Duration.ofSeconds(30), "the store");
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> timeout.await(new CompletableFuture<String>()))
			.withMessage("Interrupted while waiting for the store");
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void nothingIsKnownBeforeTheStoreIsPrepared() {
		Prepared<String> id = new Prepared<>();
		assertThat(id.isSet()).isFalse();
		assertThatIllegalStateException().isThrownBy(id::get);
		id.set("id");
		assertThat(id.isSet()).isTrue();
		assertThat(id.get()).isEqualTo("id");
	}

	@Test
	void pollIntervalHasALimit() {
		assertThat(PollInterval.atMost(Duration.ofSeconds(3))).isEqualTo(Duration.ofSeconds(3));
		assertThat(PollInterval.atMost(Duration.ofMinutes(3))).isEqualTo(PollInterval.LONGEST);
	}

}
