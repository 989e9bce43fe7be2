package io.leaderstarter.metrics;

import java.util.List;
import java.util.concurrent.TimeUnit;

import javax.sql.DataSource;

import io.leaderstarter.LeaderElections;
import io.leaderstarter.TestContexts;
import io.leaderstarter.autoconfigure.LeaderObservationAutoConfiguration;
import io.leaderstarter.election.DefaultLeaderElections;
import io.leaderstarter.election.RoleElection;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LeaderMetrics}.
 */
class LeaderMetricsTests {

	private final MeterRegistry registry = new SimpleMeterRegistry();

	private final ApplicationContextRunner contextRunner = TestContexts.local()
		.withPropertyValues("leader.lease.ttl=1m", "leader.lease.renew-interval=300ms", "test.roles=duty");

	@Test
	void followerLeadsNothing() {
		this.contextRunner.run((context) -> {
			bind(context);
			assertThat(gauge("leader.leading")).isZero();
			assertThat(timeLeft()).isZero();
			assertThat(this.registry.find("leader.transitions").counters()).isEmpty();
		});
	}

	@Test
	void leaderHasATermThatLasts() {
		this.contextRunner.run((context) -> {
			bind(context);
			TestContexts.lead(context, "duty");
			long epoch = context.getBean(LeaderElections.class).election("duty").leadership().orElseThrow().epoch();
			assertThat(gauge("leader.leading")).isEqualTo(1);
			assertThat(gauge("leader.epoch")).isEqualTo(epoch);
			assertThat(timeLeft()).isBetween(0.1, 60.0);
		});
	}

	@Test
	void candidatesAreCounted() {
		this.contextRunner.run((context) -> {
			bind(context);
			assertThat(gauge("leader.candidates")).as("before anybody is known").isZero();
			TestContexts.lead(context, "duty");
			TestContexts.await().until(() -> gauge("leader.candidates") == 1 && requests("announce", "answered") == 1);
		});
	}

	@Test
	void transitionsAreCountedByRoleAndReason() {
		this.contextRunner.run((context) -> {
			bind(context);
			TestContexts.lead(context, "duty");
			context.getBean(LeaderElections.class).election("duty").pause();
			context.getBean(LeaderElections.class).election("duty").resume();
			TestContexts.await().until(() -> count("granted", "none") == 2 && count("revoked", "paused") == 1);
			context.getSourceApplicationContext(ConfigurableApplicationContext.class).close();
			TestContexts.await().until(() -> count("revoked", "shutdown") == 1);
			assertThat(count("granted", "none")).isEqualTo(2);
		});
	}

	@Test
	void requestsAreTimed() {
		this.contextRunner.run((context) -> {
			bind(context);
			TestContexts.lead(context, "duty");
			TestContexts.await().until(() -> requests("renew", "answered") >= 3);
			assertThat(requests("acquire", "answered")).isEqualTo(1);
			assertThat(requests("observe", "answered")).isPositive();
			assertThat(this.registry.find("leader.requests").tag("outcome", "failed").timers()).isEmpty();
			assertThat(timeGauge("leader.time.left.min")).isBetween(0.0, 60.0);
			assertThat(timeGauge("leader.pause.max")).isNotNegative();
		});
	}

	@Test
	void requestsThatFailAreCountedApart() {
		TestContexts.jdbc(TestContexts.h2())
			.withPropertyValues("leader.lease.ttl=2s", "test.roles=duty")
			.run((context) -> {
				bind(context);
				assertThat(timeGauge("leader.time.left.min")).as("before a renewal").isNaN();
				TestContexts.lead(context, "duty");
				new JdbcTemplate(context.getBean(DataSource.class)).execute("drop table leader_lease");
				TestContexts.await().until(() -> requests("renew", "failed") >= 1);
				TestContexts.await()
					.until(() -> gauge("leader.leading") == 0 && count("revoked", "lease_expired") >= 1);
			});
	}

	@Test
	void termsAndTimesWithoutALeaderAreTimed() {
		this.contextRunner.run((context) -> {
			bind(context);
			TestContexts.lead(context, "duty");
			TestContexts.await().until(() -> count("granted", "none") == 1 && timed("leader.vacancies") == 1);
			assertThat(this.registry.find("leader.terms").timers()).isEmpty();
			context.getBean(LeaderElections.class).election("duty").pause();
			TestContexts.await().until(() -> count("revoked", "paused") == 1 && timed("leader.terms") == 1);
		});
	}

	@Test
	void roleThatWasLeftIsMeasuredNoMore() {
		this.contextRunner.run((context) -> {
			bind(context);
			LeaderElections elections = context.getBean(LeaderElections.class);
			TestContexts.lead(context, "duty");
			elections.leave("duty");
			TestContexts.await()
				.until(() -> this.registry.find("leader.leading").gauges().isEmpty()
						&& this.registry.find("leader.calls").functionCounters().isEmpty()
						&& this.registry.find("leader.time.left").timeGauges().isEmpty());
			elections.join("duty");
			TestContexts.await().until(() -> gauge("leader.leading") == 1);
		});
	}

	@Test
	void metersOfRolesThatAreLeftAreRemoved() {
		ObservationRegistry observations = ObservationRegistry.create();
		observations.observationConfig().observationHandler(new DefaultMeterObservationHandler(this.registry));
		this.contextRunner.withConfiguration(AutoConfigurations.of(LeaderObservationAutoConfiguration.class))
			.withBean(ObservationRegistry.class, () -> observations)
			.run((context) -> {
				bind(context);
				TestContexts.lead(context, "duty");
				LeaderElections elections = context.getBean(LeaderElections.class);
				Counter.builder("leader.fence.refusals").tag("role", "tenant-1").register(this.registry);
				for (int i = 0; i < 5; i++) {
					String role = "tenant-" + i;
					elections.join(role);
					TestContexts.await().until(() -> elections.election(role).runIfLeader(() -> {
					}));
					TestContexts.await()
						.until(() -> namesFor(role)
							.containsAll(List.of("leader.transitions", "leader.leading", "leader.execution")));
					elections.leave(role);
				}
				TestContexts.await()
					.until(() -> elections.all().size() == 1 && this.registry.getMeters()
						.stream()
						.noneMatch((meter) -> String.valueOf(meter.getId().getTag("role")).startsWith("tenant-")));
				assertThat(namesFor("duty")).contains("leader.transitions", "leader.leading");
			});
	}

	private List<String> namesFor(String role) {
		return this.registry.getMeters()
			.stream()
			.map(Meter::getId)
			.filter((id) -> role.equals(id.getTag("role")))
			.map(Meter.Id::getName)
			.toList();
	}

	@Test
	void callsAreCounted() {
		this.contextRunner.run((context) -> {
			bind(context);
			RoleElection election = context.getBean(DefaultLeaderElections.class).election("duty");
			assertThat(election.enter()).isNull();
			TestContexts.lead(context, "duty");
			election.enter().close();
			election.enter().close();
			assertThat(calls("executed")).isEqualTo(2);
			assertThat(calls("skipped")).isEqualTo(1);
		});
	}

	@Test
	void roleThatIsJoinedLaterHasMetersToo() {
		this.contextRunner.run((context) -> {
			bind(context);
			context.getBean(LeaderElections.class).join("later");
			assertThat(this.registry.get("leader.leading").tag("role", "later").gauge().value()).isZero();
			TestContexts.lead(context, "duty", "later");
			assertThat(this.registry.get("leader.leading").tag("role", "later").gauge().value()).isEqualTo(1);
		});
	}

	private void bind(ApplicationContext context) {
		new LeaderMetrics(context.getBean(DefaultLeaderElections.class)).bindTo(this.registry);
	}

	private double gauge(String name) {
		return this.registry.get(name).tag("role", "duty").gauge().value();
	}

	private double timeLeft() {
		return this.registry.get("leader.time.left").tag("role", "duty").timeGauge().value(TimeUnit.SECONDS);
	}

	private double timeGauge(String name) {
		return this.registry.get(name).timeGauge().value(TimeUnit.SECONDS);
	}

	private double calls(String outcome) {
		return this.registry.get("leader.calls").tag("role", "duty").tag("outcome", outcome).functionCounter().count();
	}

	private long requests(String request, String outcome) {
		return this.registry.find("leader.requests")
			.tag("request", request)
			.tag("outcome", outcome)
			.timers()
			.stream()
			.mapToLong(Timer::count)
			.sum();
	}

	private long timed(String name) {
		return this.registry.find(name).tag("role", "duty").timers().stream().mapToLong(Timer::count).sum();
	}

	private double count(String transition, String reason) {
		return this.registry.find("leader.transitions")
			.tag("role", "duty")
			.tag("transition", transition)
			.tag("reason", reason)
			.counters()
			.stream()
			.mapToDouble((counter) -> counter.count())
			.sum();
	}

}
