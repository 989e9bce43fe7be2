package io.leaderstarter.autoconfigure;

import io.leaderstarter.TestContexts;
import io.leaderstarter.actuate.LeaderEndpoint;
import io.leaderstarter.actuate.LeaderEndpointWebExtension;
import io.leaderstarter.election.DefaultLeaderElections;
import org.junit.jupiter.api.Test;

import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the endpoint of {@link LeaderActuatorAutoConfiguration}.
 */
class LeaderActuatorEndpointTests {

	private final ApplicationContextRunner contextRunner = TestContexts.local()
		.withConfiguration(AutoConfigurations.of(LeaderActuatorAutoConfiguration.class));

	private final ApplicationContextRunner exposedRunner = this.contextRunner
		.withPropertyValues("management.endpoints.web.exposure.include=leader");

	@Test
	void endpointIsThereIfExposed() {
		this.exposedRunner.run((context) -> assertThat(context).hasSingleBean(LeaderEndpoint.class));
	}

	@Test
	void extensionIsThereForTheWebOnly() {
		this.exposedRunner.run((context) -> assertThat(context).hasSingleBean(LeaderEndpointWebExtension.class));
		this.contextRunner
			.withPropertyValues("management.endpoints.jmx.exposure.include=leader", "spring.jmx.enabled=true")
			.run((context) -> assertThat(context).hasSingleBean(LeaderEndpoint.class)
				.doesNotHaveBean(LeaderEndpointWebExtension.class));
	}

	@Test
	void endpointIsNotThereIfNotExposed() {
		this.contextRunner.run((context) -> assertThat(context).doesNotHaveBean(LeaderEndpoint.class));
	}

	@Test
	void endpointIsNotThereIfAccessIsDenied() {
		this.exposedRunner.withPropertyValues("management.endpoint.leader.access=NONE")
			.run((context) -> assertThat(context).doesNotHaveBean(LeaderEndpoint.class));
	}

	@Test
	void endpointIsNotThereWithoutElections() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LeaderActuatorAutoConfiguration.class))
			.withPropertyValues("management.endpoints.web.exposure.include=leader")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LeaderEndpoint.class));
	}

	@Test
	void endpointBacksOffForTheUsersOwn() {
		this.exposedRunner.withBean("own", OwnEndpoint.class)
			.run((context) -> assertThat(context).hasSingleBean(LeaderEndpoint.class).hasBean("own"));
	}

	@Test
	void endpointIsNotThereWithoutActuator() {
		this.exposedRunner.withClassLoader(new FilteredClassLoader(ConditionalOnAvailableEndpoint.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LeaderEndpoint.class));
	}

	static class OwnEndpoint extends LeaderEndpoint {

		OwnEndpoint(DefaultLeaderElections elections) {
			super(elections);
		}

	}

}
