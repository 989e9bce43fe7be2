package io.leaderstarter.metrics;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.leaderstarter.LeaderElections;
import io.leaderstarter.LeaderOnly;
import io.leaderstarter.Leadership;
import io.leaderstarter.TestContexts;
import io.leaderstarter.autoconfigure.LeaderObservationAutoConfiguration;
import io.leaderstarter.election.spi.CallObserver;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link CallObservations} and {@link CallMdc}, around real calls.
 */
class CallObserverTests {

	private final ObservationRegistry registry = ObservationRegistry.create();

	private final List<Observation.Context> stopped = new ArrayList<>();

	private final ApplicationContextRunner contextRunner = TestContexts.local()
		.withConfiguration(AutoConfigurations.of(LeaderObservationAutoConfiguration.class))
		.withBean(ObservationRegistry.class, () -> this.registry)
		.withBean(Job.class);

	CallObserverTests() {
		this.registry.observationConfig().observationHandler(new ObservationHandler<Observation.Context>() {

			@Override
			public void onStop(Observation.Context context) {
				CallObserverTests.this.stopped.add(context);
			}

			@Override
			public boolean supportsContext(Observation.Context context) {
				return true;
			}

		});
	}

	@Test
	void callIsObservedWithRoleAndEpoch() {
		this.contextRunner.run((context) -> {
			TestContexts.lead(context, "outer", "inner");
			context.getBean(Job.class).outer();
			assertThat(this.stopped).singleElement().satisfies((call) -> {
				assertThat(call.getName()).isEqualTo("leader.execution");
				assertThat(call.getContextualName()).isEqualTo("leader outer");
				assertThat(call.getLowCardinalityKeyValue("role").getValue()).isEqualTo("outer");
				assertThat(call.getLowCardinalityKeyValue("code.function").getValue()).isEqualTo("outer");
				assertThat(call.getLowCardinalityKeyValue("code.namespace").getValue()).isEqualTo(Job.class.getName());
				assertThat(call.getHighCardinalityKeyValue("leader.epoch").getValue())
					.isEqualTo(epoch(context, "outer"));
				assertThat(call.getError()).isNull();
			});
			assertThat(this.registry.getCurrentObservation()).isNull();
		});
	}

	@Test
	void handlerOfTheContextTypeSeesTheCall() {
		List<LeaderCallObservationContext> started = new ArrayList<>();
		this.registry.observationConfig().observationHandler(new ObservationHandler<LeaderCallObservationContext>() {

			@Override
			public void onStart(LeaderCallObservationContext context) {
				started.add(context);
			}

			@Override
			public boolean supportsContext(Observation.Context context) {
				return context instanceof LeaderCallObservationContext;
			}

		});
		this.contextRunner.run((context) -> {
			TestContexts.lead(context, "outer", "inner");
			Observation.createNotStarted("another", this.registry).observe(context.getBean(Job.class)::outer);
			Leadership term = context.getBean(LeaderElections.class).election("outer").leadership().orElseThrow();
			assertThat(started).singleElement().satisfies((call) -> {
				assertThat(call.getLeadership()).isEqualTo(term);
				assertThat(call.getTargetClass()).isEqualTo(Job.class);
				assertThat(call.getFunction()).isEqualTo("outer");
			});
		});
	}

	@Test
	void conventionOfTheUserNamesCallsAndTheirKeyValues() {
		this.contextRunner.withBean(LeaderCallObservationConvention.class, JobConvention::new).run((context) -> {
			TestContexts.lead(context, "outer", "inner");
			context.getBean(Job.class).outer();
			assertThat(this.stopped).singleElement().satisfies((call) -> {
				assertThat(call.getName()).isEqualTo("jobs");
				assertThat(call.getContextualName()).isEqualTo("job outer");
				assertThat(call.getLowCardinalityKeyValues()).containsExactlyInAnyOrder(KeyValue.of("duty", "outer"),
						KeyValue.of("job", "Job.outer"));
				assertThat(call.getHighCardinalityKeyValues())
					.containsExactly(KeyValue.of("term", epoch(context, "outer")));
			});
		});
	}

	@Test
	void conventionOfTheUserInheritsTheDefaults() {
		this.contextRunner.withBean(LeaderCallObservationConvention.class, () -> new LeaderCallObservationConvention() {

			@Override
			public KeyValues getLowCardinalityKeyValues(LeaderCallObservationContext context) {
				return LeaderCallObservationConvention.super.getLowCardinalityKeyValues(context).and("team", "billing");
			}

		}).run((context) -> {
			TestContexts.lead(context, "outer", "inner");
			context.getBean(Job.class).outer();
			assertThat(this.stopped).singleElement().satisfies((call) -> {
				assertThat(call.getName()).isEqualTo("leader.execution");
				assertThat(call.getContextualName()).isEqualTo("leader outer");
				assertThat(call.getLowCardinalityKeyValues()).extracting(KeyValue::getKey)
					.containsExactlyInAnyOrder("role", "code.function", "code.namespace", "team");
				assertThat(call.getHighCardinalityKeyValues())
					.containsExactly(KeyValue.of("leader.epoch", epoch(context, "outer")));
			});
		});
	}

	@Test
	void callThatThrowsIsObservedAsFailed() {
		this.contextRunner.run((context) -> {
			TestContexts.lead(context, "outer", "inner");
			assertThatIllegalStateException().isThrownBy(context.getBean(Job.class)::fail);
			assertThat(this.stopped).singleElement()
				.extracting(Observation.Context::getError)
				.isInstanceOf(IllegalStateException.class);
			assertThat(this.registry.getCurrentObservation()).isNull();
			assertThat(MDC.get("leader.role")).isNull();
		});
	}

	@Test
	void callThatIsSkippedIsNotObserved() {
		this.contextRunner.run((context) -> {
			context.getBean(Job.class).outer();
			assertThat(this.stopped).isEmpty();
			assertThat(context.getBean(Job.class).seen()).isEmpty();
		});
	}

	@Test
	void mdcOfACallHasTheInnermostRoleAndItsEpoch() {
		this.contextRunner.run((context) -> {
			TestContexts.lead(context, "outer", "inner");
			Job job = context.getBean(Job.class);
			job.runInside(job::inner);
			job.outer();
			assertThat(job.seen()).containsExactly(expected(context, "outer"), expected(context, "inner"),
					expected(context, "outer"));
			assertThat(MDC.get("leader.role")).isNull();
			assertThat(MDC.get("leader.epoch")).isNull();
		});
	}

	@Test
	void observerThatFailsChangesNothing() {
		this.contextRunner.withBean("bad", CallObserver.class, () -> (term, type, function) -> {
			throw new IllegalStateException("bad observer");
		}).run((context) -> {
			TestContexts.lead(context, "outer", "inner");
			context.getBean(Job.class).outer();
			assertThat(context.getBean(Job.class).seen()).hasSize(2);
			assertThat(this.stopped).hasSize(1);
		});
	}

	@Test
	void worksWithoutMicrometer() {
		new ApplicationContextRunner().withClassLoader(new FilteredClassLoader("io.micrometer"))
			.withPropertyValues("spring.application.name=test", "leader.backend=local")
			.withConfiguration(AutoConfigurations.of(LeaderObservationAutoConfiguration.class,
					io.leaderstarter.autoconfigure.LeaderAutoConfiguration.class))
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(CallMdc.class));
	}

	private static Map<String, String> expected(ApplicationContext context, String role) {
		return Map.of("leader.role", role, "leader.epoch", epoch(context, role));
	}

	private static String epoch(ApplicationContext context, String role) {
		Leadership leadership = context.getBean(LeaderElections.class).election(role).leadership().orElseThrow();
		return Long.toString(leadership.epoch());
	}

	/** Changes all that a convention can. */
	static class JobConvention implements LeaderCallObservationConvention {

		@Override
		public String getName() {
			return "jobs";
		}

		@Override
		public String getContextualName(LeaderCallObservationContext context) {
			return "job " + context.getFunction();
		}

		@Override
		public KeyValues getLowCardinalityKeyValues(LeaderCallObservationContext context) {
			return KeyValues.of("duty", context.getLeadership().role(), "job",
					context.getTargetClass().getSimpleName() + "." + context.getFunction());
		}

		@Override
		public KeyValues getHighCardinalityKeyValues(LeaderCallObservationContext context) {
			return KeyValues.of("term", Long.toString(context.getLeadership().epoch()));
		}

	}

	static class Job {

		private final List<Map<String, String>> seen = new ArrayList<>();

		private Runnable inner = () -> {
		};

		@LeaderOnly("outer")
		void outer() {
			see();
			this.inner.run();
			see();
		}

		@LeaderOnly("inner")
		void inner() {
			see();
		}

		@LeaderOnly("outer")
		void fail() {
			throw new IllegalStateException("failed");
		}

		/** Not a field, as a proxy has other fields. */
		List<Map<String, String>> seen() {
			return this.seen;
		}

		void runInside(Runnable inner) {
			this.inner = inner;
		}

		private void see() {
			this.seen.add(Map.of("leader.role", MDC.get("leader.role"), "leader.epoch", MDC.get("leader.epoch")));
		}

	}

}
