package io.leaderstarter.aop;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.stream.IntStream;

import io.leaderstarter.LeaderOnly;
import io.leaderstarter.Otherwise;
import io.leaderstarter.TestContexts;
import kotlin.coroutines.Continuation;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.ParallelFlux;

import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that {@link LeaderOnlyReturns} refuses what returns before its work is done, and
 * has no observable end, as the work would go on when the term is over.
 */
class LeaderOnlyUnfinishedReturnsTests {

	@ParameterizedTest
	@ValueSource(classes = { ReturnsFuture.class, ReturnsOwnFuture.class, ReturnsParallelFlux.class, ReturnsFlow.class,
			ReturnsStream.class, ReturnsCallable.class, ReturnsDeferred.class, ReturnsBody.class, Suspends.class,
			OnTheClass.class, EvenIfItThrows.class })
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

	static class ReturnsFuture {

		@LeaderOnly("unfinished")
		public Future<String> work() {
			return CompletableFuture.completedFuture("done");
		}

	}

	static class ReturnsOwnFuture {

		@LeaderOnly("unfinished")
		public FutureTask<String> work() {
			return new FutureTask<>(() -> "done");
		}

	}

	static class ReturnsParallelFlux {

		@LeaderOnly("unfinished")
		public ParallelFlux<String> work() {
			return Flux.just("done").parallel();
		}

	}

	static class ReturnsFlow {

		@LeaderOnly("unfinished")
		public Flow.Publisher<String> work() {
			return (subscriber) -> subscriber.onComplete();
		}

	}

	static class ReturnsStream {

		@LeaderOnly("unfinished")
		public IntStream work() {
			return IntStream.of(1).peek((number) -> {
			});
		}

	}

	static class ReturnsCallable {

		@LeaderOnly("unfinished")
		public Callable<String> work() {
			return () -> "done";
		}

	}

	static class ReturnsDeferred {

		@LeaderOnly("unfinished")
		public DeferredResult<String> work() {
			return new DeferredResult<>();
		}

	}

	static class ReturnsBody {

		@LeaderOnly("unfinished")
		public StreamingResponseBody work() {
			return (out) -> out.write(1);
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

		public Future<String> work() {
			return CompletableFuture.completedFuture("done");
		}

	}

	static class EvenIfItThrows {

		@LeaderOnly(value = "unfinished", otherwise = Otherwise.THROW)
		public Future<String> work() {
			return CompletableFuture.completedFuture("done");
		}

	}

}
