package io.leaderstarter.election.state;

import java.time.Duration;

import io.leaderstarter.election.spi.Moment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LeaseTiming} and {@link Deadline}.
 */
class LeaseTimingTests {

	@Test
	void defaultsFitTogether() {
		LeaseTiming timing = LeaseTiming.of(Duration.ofSeconds(15), null, null);
		assertThat(timing.renewInterval()).isEqualTo(Duration.ofSeconds(5));
		assertThat(timing.requestTimeout()).isEqualTo(Duration.ofSeconds(3));
		assertThat(timing.margin()).isEqualTo(Duration.ofMillis(300));
	}

	@ParameterizedTest
	@ValueSource(longs = { 1000, 2000, 5000, 15_000, 60_000, 3_600_000 })
	void defaultsFitTogetherForEveryTtlThatAStoreCanKeep(long ttl) {
		LeaseTiming.of(Duration.ofMillis(ttl), null, null);
	}

	@Test
	void marginIsNeverBelowAHundredMilliseconds() {
		assertThat(LeaseTiming.of(Duration.ofSeconds(1), null, null).margin()).isEqualTo(Duration.ofMillis(100));
	}

	@Test
	void timesThatJustFitAreTaken() {
		new LeaseTiming(Duration.ofMillis(1000), Duration.ofMillis(400), Duration.ofMillis(100),
				Duration.ofMillis(100));
	}

	@Test
	void timesThatJustDoNotFitAreRefusedWithTheRightOne() {
		assertThatExceptionOfType(InvalidLeaseTimingException.class)
			.isThrownBy(() -> new LeaseTiming(Duration.ofMillis(999), Duration.ofMillis(400), Duration.ofMillis(100),
					Duration.ofMillis(100)))
			.withMessageContaining("leader.lease.ttl (999ms)")
			.withMessageContaining("which is 1s")
			.satisfies((ex) -> assertThat(ex.getAdvice()).contains("leader.lease.ttl to 2s"));
	}

	@Test
	void adviceFitsAlthoughTheRestIsComputedFromIt() {
		assertThatExceptionOfType(InvalidLeaseTimingException.class)
			.isThrownBy(() -> LeaseTiming.of(Duration.ofSeconds(10), Duration.ofSeconds(5), null))
			.satisfies((ex) -> assertThat(ex.getAdvice()).contains("leader.lease.ttl to 25s"));
		LeaseTiming.of(Duration.ofSeconds(25), Duration.ofSeconds(5), null);
	}

	@Test
	void zeroIsRefusedByName() {
		assertThatExceptionOfType(InvalidLeaseTimingException.class)
			.isThrownBy(() -> LeaseTiming.of(Duration.ofSeconds(15), Duration.ZERO, null))
			.withMessageContaining("leader.lease.renew-interval (0ms)");
	}

	@Test
	void ttlBelowWhatTheStoreCanKeepIsRefused() {
		assertThatExceptionOfType(InvalidLeaseTimingException.class)
			.isThrownBy(
					() -> LeaseTiming.of(Duration.ofSeconds(1), null, null).requireTtl("etcd", Duration.ofSeconds(5)))
			.withMessageContaining("shorter than the etcd backend can keep (5s)");
	}

	@Test
	void deadlineIsTheTtlLessDriftAndMarginAfterTheRequestWasSent() {
		LeaseTiming timing = LeaseTiming.of(Duration.ofSeconds(15), null, null);
		Moment sent = new Moment(5, 7);
		Duration valid = timing.deadline(sent).moment().since(sent);
		assertThat(valid).isEqualTo(Duration.ofMillis(15_000 - 15 - 300));
	}

	@Test
	void deadlineHoldsWhenTheMonotonicClockOverflows() {
		Moment sent = new Moment(Long.MAX_VALUE - 10, 0);
		Deadline deadline = new Deadline(sent.plus(Duration.ofNanos(100)));
		assertThat(deadline.hasPassed(new Moment(Long.MAX_VALUE, -1))).isFalse();
		assertThat(deadline.hasPassed(new Moment(Long.MIN_VALUE + 89, -1))).isTrue();
	}

}
