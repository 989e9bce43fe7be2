package io.leaderstarter.test;

import io.leaderstarter.LeaderElections;
import io.leaderstarter.autoconfigure.LeaderAutoConfiguration;
import io.leaderstarter.election.spi.LeaseStore;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.test.context.TestExecutionListener;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LeaderTestAutoConfiguration}.
 */
class LeaderTestAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withPropertyValues("spring.application.name=test", "leader.backend=local", "leader.roles.duty.candidate=true")
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
	void backendDecidesIfThatIsWanted() {
		this.contextRunner.withPropertyValues("leader.test.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(ManualLeadership.class)
				.hasSingleBean(LeaseStore.class));
	}

	@Test
	void backendDecidesOutsideOfTests() {
		this.contextRunner.withClassLoader(new FilteredClassLoader(TestExecutionListener.class))
			.run((context) -> assertThat(context).doesNotHaveBean(ManualLeadership.class)
				.hasSingleBean(LeaseStore.class));
	}

}
