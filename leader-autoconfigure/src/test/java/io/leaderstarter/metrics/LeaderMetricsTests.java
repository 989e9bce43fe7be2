package io.leaderstarter.metrics;

import java.util.concurrent.TimeUnit;

import javax.sql.DataSource;

import io.leaderstarter.LeaderElections;
import io.leaderstarter.TestContexts;
import io.leaderstarter.election.DefaultLeaderElections;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

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
		.withPropertyValues("leader.roles.duty.candidate=true");

	@Test
	void followerLeadsNothing() {
		this.contextRunner.run((context) -> {
			bind(context);
			assertThat(gauge("leader.leading")).isZero();
			assertThat(gauge("leader.time.left")).isZero();
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
			assertThat(gauge("leader.time.left")).isBetween(0.1, 10.0);
		});
	}

	@Test
	void transitionsAreCountedByRoleAndReason() {
		this.contextRunner.withPropertyValues("leader.lease.ttl=2s").run((context) -> {
			bind(context);
			TestContexts.lead(context, "duty");
			context.getBean(LeaderElections.class).election("duty").resign();
			TestContexts.await().until(() -> count("granted", "none") == 2 && count("revoked", "resigned") == 1);
			context.getSourceApplicationContext(ConfigurableApplicationContext.class).close();
			assertThat(count("revoked", "shutdown")).isEqualTo(1);
			assertThat(count("granted", "none")).isEqualTo(2);
		});
	}

	@Test
	void renewalsAreTimed() {
		this.contextRunner.withPropertyValues("leader.lease.ttl=2s").run((context) -> {
			bind(context);
			TestContexts.lead(context, "duty");
			TestContexts.await()
				.until(() -> this.registry.get("leader.renewals").tag("outcome", "answered").timer().count() >= 3);
			assertThat(this.registry.get("leader.renewals").tag("outcome", "answered").timer().max(TimeUnit.SECONDS))
				.isLessThan(5);
			assertThat(this.registry.get("leader.renewals").tag("outcome", "failed").timer().count()).isZero();
		});
	}

	@Test
	void renewalsThatFailAreCountedApart() {
		TestContexts.jdbc(TestContexts.h2())
			.withPropertyValues("leader.lease.ttl=2s", "leader.roles.duty.candidate=true")
			.run((context) -> {
				bind(context);
				TestContexts.lead(context, "duty");
				new JdbcTemplate(context.getBean(DataSource.class)).execute("drop table leader_lease");
				TestContexts.await()
					.until(() -> this.registry.get("leader.renewals").tag("outcome", "failed").timer().count() >= 1);
				TestContexts.await().until(() -> gauge("leader.leading") == 0 && count("revoked", "deadline") >= 1);
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

	@Test
	void everyMeterSaysWhatItIs() {
		this.contextRunner.run((context) -> {
			bind(context);
			TestContexts.lead(context, "duty");
			TestContexts.await().until(() -> count("granted", "none") == 1);
			assertThat(this.registry.getMeters()).extracting((meter) -> meter.getId().getName())
				.containsOnly("leader.leading", "leader.epoch", "leader.time.left", "leader.transitions",
						"leader.renewals");
			assertThat(this.registry.getMeters()).extracting(Meter::getId)
				.allSatisfy((id) -> assertThat(id.getDescription()).isNotBlank());
			assertThat(this.registry.get("leader.time.left").gauge().getId().getBaseUnit()).isEqualTo("seconds");
		});
	}

	private void bind(ApplicationContext context) {
		new LeaderMetrics(context.getBean(DefaultLeaderElections.class)).bindTo(this.registry);
	}

	private double gauge(String name) {
		return this.registry.get(name).tag("role", "duty").gauge().value();
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
