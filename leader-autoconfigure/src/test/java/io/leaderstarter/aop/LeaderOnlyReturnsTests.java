package io.leaderstarter.aop;

import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;

import io.leaderstarter.LeaderOnly;
import io.leaderstarter.NotLeaderException;
import io.leaderstarter.Otherwise;
import io.leaderstarter.TestContexts;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Tests for {@link LeaderOnlyReturns}: what calls give on the leader and elsewhere.
 */
class LeaderOnlyReturnsTests {

	private final ApplicationContextRunner contextRunner = TestContexts.local()
		.withBean(Auto.class)
		.withBean(Skip.class)
		.withBean(Throw.class);

	private final ApplicationContextRunner followerRunner = this.contextRunner
		.withPropertyValues("leader.candidate.enabled=false");

	@Test
	void leaderGetsWhatTheMethodReturns() {
		this.contextRunner.run((context) -> {
			TestContexts.lead(context);
			Auto auto = context.getBean(Auto.class);
			assertThat(auto.optional()).contains("text");
			assertThat(auto.optionalInt()).hasValue(1);
			assertThat(auto.primitive()).isEqualTo(1);
			assertThat(auto.object()).isEqualTo("text");
			assertThat(context.getBean(Skip.class).object()).isEqualTo("text");
			assertThat(context.getBean(Throw.class).optional()).contains("text");
		});
	}

	@Test
	void autoSkipsMethodsWithoutAResultOrWithAnEmptyOne() {
		this.followerRunner.run((context) -> {
			Auto auto = context.getBean(Auto.class);
			assertThatNoException().isThrownBy(auto::nothing);
			assertThat(auto.boxedNothing()).isNull();
			assertThat(auto.optional()).isEmpty();
			assertThat(auto.optionalInt()).isEmpty();
			assertThat(auto.optionalLong()).isEmpty();
			assertThat(auto.optionalDouble()).isEmpty();
		});
	}

	@Test
	void autoThrowsWhereTheCallerWouldTakeASkippedCallForAResult() {
		this.followerRunner.run((context) -> {
			Auto auto = context.getBean(Auto.class);
			assertThatExceptionOfType(NotLeaderException.class).isThrownBy(auto::primitive)
				.withMessage("Auto.primitive needs the role 'returns', which this member does not lead");
			assertThatExceptionOfType(NotLeaderException.class).isThrownBy(auto::object)
				.withMessage("Auto.object needs the role 'returns', which this member does not lead");
		});
	}

	@Test
	void skipGivesNothing() {
		this.followerRunner.run((context) -> {
			Skip skip = context.getBean(Skip.class);
			assertThatNoException().isThrownBy(skip::nothing);
			assertThat(skip.optional()).isEmpty();
			assertThat(skip.object()).isNull();
			assertThat(skip.boxed()).isNull();
		});
	}

	@Test
	void throwThrowsWhateverTheTypeIs() {
		this.followerRunner.run((context) -> {
			Throw throwing = context.getBean(Throw.class);
			assertThatExceptionOfType(NotLeaderException.class).isThrownBy(throwing::nothing);
			assertThatExceptionOfType(NotLeaderException.class).isThrownBy(throwing::optional);
			assertThatExceptionOfType(NotLeaderException.class).isThrownBy(throwing::primitive);
		});
	}

	@Test
	void skipOfAPrimitiveValueIsRefusedAtStart() {
		TestContexts.local()
			.withBean(SkipPrimitive.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOfSatisfying(LeaderOnlyException.class, (failure) -> {
					assertThat(failure).hasMessageContainingAll("SkipPrimitive.count", "SKIP has no value of type int");
					assertThat(failure.getAdvice()).contains("void or an Optional");
				}));
	}

	static class Auto {

		@LeaderOnly("returns")
		public void nothing() {
			throw new AssertionError("must not run");
		}

		@LeaderOnly("returns")
		public Void boxedNothing() {
			throw new AssertionError("must not run");
		}

		@LeaderOnly("returns")
		public Optional<String> optional() {
			return Optional.of("text");
		}

		@LeaderOnly("returns")
		public OptionalInt optionalInt() {
			return OptionalInt.of(1);
		}

		@LeaderOnly("returns")
		public OptionalLong optionalLong() {
			return OptionalLong.of(1);
		}

		@LeaderOnly("returns")
		public OptionalDouble optionalDouble() {
			return OptionalDouble.of(1);
		}

		@LeaderOnly("returns")
		public int primitive() {
			return 1;
		}

		@LeaderOnly("returns")
		public Object object() {
			return "text";
		}

	}

	@LeaderOnly(value = "returns", otherwise = Otherwise.SKIP)
	static class Skip {

		public void nothing() {
			throw new AssertionError("must not run");
		}

		public Optional<String> optional() {
			return Optional.of("text");
		}

		public String object() {
			return "text";
		}

		public Integer boxed() {
			return 1;
		}

	}

	@LeaderOnly(value = "returns", otherwise = Otherwise.THROW)
	static class Throw {

		public void nothing() {
			throw new AssertionError("must not run");
		}

		public Optional<String> optional() {
			return Optional.of("text");
		}

		public int primitive() {
			return 1;
		}

	}

	static class SkipPrimitive {

		@LeaderOnly(value = "returns", otherwise = Otherwise.SKIP)
		public int count() {
			return 1;
		}

	}

}
