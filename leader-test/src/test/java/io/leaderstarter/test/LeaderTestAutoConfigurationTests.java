package io.leaderstarter.test;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.leaderstarter.LeaderElections;
import io.leaderstarter.Leadership;
import io.leaderstarter.autoconfigure.LeaderAutoConfiguration;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.TermGate;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.context.TestExecutionListener;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LeaderTestAutoConfiguration}.
 */
class LeaderTestAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withPropertyValues("spring.application.name=test", "leader.backend=local")
		.withUserConfiguration(Duty.class)
		.withConfiguration(AutoConfigurations.of(LeaderTestAutoConfiguration.class, LeaderAutoConfiguration.class));

	@Test
	void testDecidesWhateverTheBackendIs() {
		this.contextRunner.run((context) -> {
			// The context is not ready, and will never be.
			context.getBean(ManualLeadership.class).grant("duty");
			assertThat(context.getBean(LeaderElections.class).election("duty").isLeader()).isTrue();
			assertThat(context).getBean(LeaseStore.class).isInstanceOf(ManualLeaseStore.class);
		});
	}

	@Test
	void whatFailedOnceIsTriedAgainThoughTimeStandsStill() {
		this.contextRunner.withBean(TermGate.class, FailingGate::new).run((context) -> {
			context.getBean(ManualLeadership.class).grantEverything();
			LeaderElections elections = context.getBean(LeaderElections.class);
			assertThat(elections.election("duty").isLeader()).isTrue();
			assertThat(elections.join("another").await(Duration.ofSeconds(30))).isPresent();
		});
	}

	@Test
	void backendDecidesIfThatIsWanted() {
		this.contextRunner.withPropertyValues("leader.test.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(ManualLeadership.class)
				.doesNotHaveBean(LeaseStore.class));
	}

	@Test
	void backendDecidesOutsideOfTests() {
		this.contextRunner.withClassLoader(new FilteredClassLoader(TestExecutionListener.class))
			.run((context) -> assertThat(context).doesNotHaveBean(ManualLeadership.class)
				.doesNotHaveBean(LeaseStore.class));
	}

	/** An application that competes for a role. */
	@Configuration(proxyBeanMethods = false)
	static class Duty {

		Duty(LeaderElections elections) {
			elections.join("duty");
		}

	}

	/** Fails once each time that it is asked something else. */
	private static final class FailingGate implements TermGate {

		private final Set<Object> failed = ConcurrentHashMap.newKeySet();

		@Override
		public boolean isAsked() {
			return true;
		}

		@Override
		public Map<String, Passed> passed(Collection<String> roles) {
			failOnce(Set.copyOf(roles));
			return Map.of();
		}

		@Override
		public void open(Leadership leadership) {
			failOnce(leadership.role());
		}

		private void failOnce(Object asked) {
			if (this.failed.add(asked)) {
				throw new IllegalStateException("The database does not answer in time");
			}
		}

	}

}
