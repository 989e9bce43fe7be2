package io.leaderstarter.aop;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import io.leaderstarter.LeaderContext;
import io.leaderstarter.LeaderElections;
import io.leaderstarter.LeaderOnly;
import io.leaderstarter.NotLeaderException;
import io.leaderstarter.OnLoss;
import io.leaderstarter.Otherwise;
import io.leaderstarter.StaleLeaderException;
import io.leaderstarter.TestContexts;
import io.leaderstarter.election.DefaultLeaderElections;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link StreamCall}: every subscription is a call, which lasts as long as the
 * stream.
 */
class LeaderOnlyStreamTests {

	private static final Duration LONG = Duration.ofSeconds(20);

	private final ApplicationContextRunner contextRunner = TestContexts.local().withBean(Job.class);

	private final ApplicationContextRunner followerRunner = this.contextRunner
		.withPropertyValues("leader.candidate.enabled=false");

	@AfterEach
	void propagateNoContext() {
		Hooks.disableAutomaticContextPropagation();
	}

	@Test
	void everyRegistrationIsACall() {
		this.contextRunner.run((context) -> {
			Job job = context.getBean(Job.class);
			Mono<Long> mono = job.mono();
			// Called as a follower, and before it leads.
			assertThat(mono.blockOptional(LONG)).isEmpty();
			TestContexts.lead(context);
			assertThat(mono.block(LONG)).isEqualTo(epoch(context));
			assertThat(mono.block(LONG)).isEqualTo(epoch(context));
			assertThat(job.flux().collectList().block(LONG)).containsExactly("a", "b");
			assertThat(Flux.from(job.publisher()).collectList().block(LONG)).containsExactly("a", "b");
			assertThat(job.calls()).isEqualTo(2);
			assertThat(LeaderContext.current()).isEmpty();
			context.getBean(LeaderElections.class).pause();
			assertThat(mono.blockOptional(LONG)).isEmpty();
		});
	}

	@Test
	void roleIsKeptUntilTheStreamHasEnded() {
		this.contextRunner.run((context) -> {
			TestContexts.lead(context);
			Job job = context.getBean(Job.class);
			List<String> received = new CopyOnWriteArrayList<>();
			job.endless().subscribe(received::add);
			context.getBean(LeaderElections.class).pause();
			assertThat(state(context)).isEqualTo("LEAVING");
			job.sink().tryEmitNext("a");
			assertThat(received).containsExactly("a");
			job.sink().tryEmitComplete();
			TestContexts.await().until(() -> state(context).equals("FOLLOWER"));
		});
	}

	@Test
	void streamThatIsCancelledOrFailsIsOver() {
		this.contextRunner.run((context) -> {
			TestContexts.lead(context);
			Job job = context.getBean(Job.class);
			job.endless().subscribe().dispose();
			assertThatIllegalStateException().isThrownBy(() -> job.fails().block(LONG)).withMessage("failed");
			assertThatIllegalStateException().isThrownBy(() -> job.throwsAtOnce().block(LONG)).withMessage("failed");
			assertThat(job.none().blockOptional(LONG)).isEmpty();
			context.getBean(LeaderElections.class).pause();
			TestContexts.await().until(() -> state(context).equals("FOLLOWER"));
		});
	}

	@Test
	void monoIsNotCutOffAfterItsValue() {
		this.contextRunner.run((context) -> {
			TestContexts.lead(context);
			Job job = context.getBean(Job.class);
			assertThat(job.withCleanUp().block(LONG)).isEqualTo("value");
			assertThat(job.calls()).isEqualTo(1);
		});
	}

	@Test
	void streamEndsWithItsTermIfThatIsWanted() {
		this.contextRunner.withPropertyValues("leader.shutdown.drain-timeout=0").run((context) -> {
			TestContexts.lead(context);
			Job job = context.getBean(Job.class);
			Mono<String> last = job.interruptible().last().cache();
			last.subscribe((value) -> {
			}, (failure) -> {
			});
			context.getBean(LeaderElections.class).pause();
			assertThatExceptionOfType(StaleLeaderException.class).isThrownBy(() -> last.block(LONG));
			TestContexts.await().until(() -> state(context).equals("FOLLOWER"));
		});
	}

	@Test
	void followerFailsIfThatIsWanted() {
		this.followerRunner.run((context) -> {
			Job job = context.getBean(Job.class);
			assertThatExceptionOfType(NotLeaderException.class).isThrownBy(() -> job.throwing().block(LONG))
				.withMessageContaining("needs the role 'stream'");
		});
	}

	@Test
	void termIsPropagatedToOtherThreadsOfAStreamWithItsContext() {
		Hooks.enableAutomaticContextPropagation();
		this.contextRunner.run((context) -> {
			TestContexts.lead(context);
			assertThat(context.getBean(Job.class).elsewhere().block(LONG)).isEqualTo(epoch(context));
		});
	}

	@Test
	void termStaysOnItsThreadWhereContextIsNotPropagated() {
		this.contextRunner.run((context) -> {
			TestContexts.lead(context);
			assertThatExceptionOfType(NotLeaderException.class)
				.isThrownBy(() -> context.getBean(Job.class).elsewhere().block(LONG));
		});
	}

	@Test
	void scheduledPublisherRunsOnTheLeaderOnly() {
		TestContexts.local().withUserConfiguration(Scheduling.class).run((context) -> {
			ScheduledJob job = context.getBean(ScheduledJob.class);
			TestContexts.await().until(() -> job.registrations().get() >= 3);
			assertThat(job.epochs()).isEmpty();
			TestContexts.lead(context);
			TestContexts.await().until(() -> job.epochs().size() >= 3);
			assertThat(job.epochs()).containsOnly(epoch(context));
		});
	}

	private static long epoch(ApplicationContext context) {
		return context.getBean(DefaultLeaderElections.class).status("stream").epoch();
	}

	private static String state(ApplicationContext context) {
		return context.getBean(DefaultLeaderElections.class).status("stream").state();
	}

	static class Job {

		private final AtomicInteger calls = new AtomicInteger();

		private final Sinks.Many<String> sink = Sinks.many().multicast().onBackpressureBuffer();

		@LeaderOnly("stream")
		public Mono<Long> mono() {
			this.calls.incrementAndGet();
			LeaderContext.check();
			return Mono.fromSupplier(LeaderContext::epoch);
		}

		@LeaderOnly("stream")
		public Flux<String> flux() {
			return Flux.just("a", "b");
		}

		@LeaderOnly("stream")
		public Publisher<String> publisher() {
			return Flux.just("a", "b");
		}

		@LeaderOnly("stream")
		public Flux<String> endless() {
			return this.sink.asFlux();
		}

		@LeaderOnly(value = "stream", onLoss = OnLoss.INTERRUPT)
		public Flux<String> interruptible() {
			return this.sink.asFlux();
		}

		@LeaderOnly("stream")
		public Mono<String> fails() {
			return Mono.error(new IllegalStateException("failed"));
		}

		@LeaderOnly("stream")
		public Mono<String> throwsAtOnce() {
			throw new IllegalStateException("failed");
		}

		@LeaderOnly("stream")
		public Mono<String> none() {
			return null;
		}

		@LeaderOnly("stream")
		public Mono<String> withCleanUp() {
			return Mono.usingWhen(Mono.just("value"), Mono::just,
					(value) -> Mono.fromRunnable(this.calls::incrementAndGet), (value, failure) -> Mono.empty(),
					(value) -> Mono.error(new IllegalStateException("cut off")));
		}

		@LeaderOnly(value = "stream", otherwise = Otherwise.THROW)
		public Mono<String> throwing() {
			throw new AssertionError("must not run");
		}

		@LeaderOnly("stream")
		public Mono<Long> elsewhere() {
			return Mono.just("there").publishOn(Schedulers.boundedElastic()).map((text) -> LeaderContext.epoch());
		}

		/** Not fields, as a proxy has other fields. */
		public int calls() {
			return this.calls.get();
		}

		public Sinks.Many<String> sink() {
			return this.sink;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class Scheduling {

		@Bean
		ScheduledJob scheduledJob() {
			return new ScheduledJob();
		}

	}

	static class ScheduledJob {

		private final AtomicInteger registrations = new AtomicInteger();

		private final List<Long> epochs = new CopyOnWriteArrayList<>();

		@Scheduled(fixedDelay = 5)
		public void runRegularly() {
			this.registrations.incrementAndGet();
		}

		@LeaderOnly("stream")
		@Scheduled(fixedDelay = 5)
		public Mono<Void> work() {
			return Mono.fromRunnable(() -> this.epochs.add(LeaderContext.epoch()));
		}

		public AtomicInteger registrations() {
			return this.registrations;
		}

		public List<Long> epochs() {
			return this.epochs;
		}

	}

}
