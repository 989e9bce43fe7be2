package io.leaderstarter.aop;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;

import io.leaderstarter.LeaderOnly;
import io.leaderstarter.Otherwise;
import io.leaderstarter.TestContexts;
import kotlin.coroutines.Continuation;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that {@link LeaderOnlyReturns} refuses what returns before its work is done, as
 * the work would go on when the term is over.
 */
class LeaderOnlyUnfinishedReturnsTests {

	@ParameterizedTest
	@ValueSource(classes = { ReturnsCompletableFuture.class, ReturnsFuture.class, ReturnsStage.class, ReturnsMono.class,
			ReturnsFlux.class, ReturnsPublisher.class, ReturnsFlow.class, Suspends.class, OnTheClass.class,
			EvenIfItThrows.class })
	void isRefusedAtStart(Class<?> type) {
		TestContexts.local()
			.withBean("unfinished", type)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOfSatisfying(LeaderOnlyException.class, (failure) -> {
					assertThat(failure).hasMessageContainingAll(type.getName() + ".work",
							"it returns before its work is done", "would not be protected");
					assertThat(failure.getAdvice()).contains("blocking on the result");
				}));
	}

	static class ReturnsCompletableFuture {

		@LeaderOnly("unfinished")
		public CompletableFuture<String> work() {
			return CompletableFuture.completedFuture("done");
		}

	}

	static class ReturnsFuture {

		@LeaderOnly("unfinished")
		public Future<String> work() {
			return CompletableFuture.completedFuture("done");
		}

	}

	static class ReturnsStage {

		@LeaderOnly("unfinished")
		public CompletionStage<String> work() {
			return CompletableFuture.completedStage("done");
		}

	}

	static class ReturnsMono {

		@LeaderOnly("unfinished")
		public Mono<String> work() {
			return Mono.just("done");
		}

	}

	static class ReturnsFlux {

		@LeaderOnly("unfinished")
		public Flux<String> work() {
			return Flux.just("done");
		}

	}

	static class ReturnsPublisher {

		@LeaderOnly("unfinished")
		public Publisher<String> work() {
			return Mono.just("done");
		}

	}

	static class ReturnsFlow {

		@LeaderOnly("unfinished")
		public Flow.Publisher<String> work() {
			return (subscriber) -> subscriber.onComplete();
		}

	}

	static class Suspends {

		@LeaderOnly("unfinished")
		public Object work(String argument, Continuation<String> continuation) {
			return argument;
		}

	}

	@LeaderOnly("unfinished")
	static class OnTheClass {

		public Mono<String> work() {
			return Mono.just("done");
		}

	}

	static class EvenIfItThrows {

		@LeaderOnly(value = "unfinished", otherwise = Otherwise.THROW)
		public Mono<String> work() {
			return Mono.just("done");
		}

	}

}
