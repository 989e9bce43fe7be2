package io.leaderstarter.autoconfigure;

import java.time.Duration;

import io.leaderstarter.actuate.LeaderEndpoint;
import io.leaderstarter.actuate.LeaderEndpointWebExtension;
import io.leaderstarter.actuate.LeaderHealthIndicator;
import io.leaderstarter.actuate.LeaderInfoContributor;
import io.leaderstarter.election.DefaultLeaderElections;

import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.autoconfigure.info.ConditionalOnEnabledInfoContributor;
import org.springframework.boot.actuate.autoconfigure.info.InfoContributorFallback;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for the endpoint, the health and the
 * info of leader election.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = LeaderAutoConfiguration.class)
@ConditionalOnBean(DefaultLeaderElections.class)
public final class LeaderActuatorAutoConfiguration {

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
	@ConditionalOnAvailableEndpoint(LeaderEndpoint.class)
	static class OfEndpoint {

		@Bean
		@ConditionalOnMissingBean
		LeaderEndpoint leaderEndpoint(DefaultLeaderElections elections) {
			return new LeaderEndpoint(elections);
		}

		@Bean
		@ConditionalOnMissingBean
		@ConditionalOnBean(LeaderEndpoint.class)
		@ConditionalOnAvailableEndpoint(endpoint = LeaderEndpoint.class, exposure = EndpointExposure.WEB)
		LeaderEndpointWebExtension leaderEndpointWebExtension(LeaderEndpoint endpoint) {
			return new LeaderEndpointWebExtension(endpoint);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(ConditionalOnEnabledHealthIndicator.class)
	@ConditionalOnEnabledHealthIndicator("leader")
	@EnableConfigurationProperties(LeaderHealthProperties.class)
	static class OfHealth {

		@Bean
		@ConditionalOnMissingBean(name = { "leaderHealthIndicator", "leaderHealthContributor" })
		LeaderHealthIndicator leaderHealthContributor(DefaultLeaderElections elections,
				LeaderHealthProperties properties) {
			Duration outOfServiceAfter = properties.outOfServiceAfter();
			if (outOfServiceAfter != null) {
				PropertyCheck.atLeast(Duration.ZERO, "management.health.leader.out-of-service-after",
						outOfServiceAfter);
			}
			return new LeaderHealthIndicator(elections, outOfServiceAfter);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(ConditionalOnEnabledInfoContributor.class)
	@ConditionalOnEnabledInfoContributor(value = "leader-roles", fallback = InfoContributorFallback.DISABLE)
	static class OfInfo {

		/**
		 * Not named as the one of Spring Cloud Kubernetes, which has the switch
		 * {@code management.info.leader.enabled} as well.
		 */
		@Bean
		@ConditionalOnMissingBean
		LeaderInfoContributor leaderRolesInfoContributor(DefaultLeaderElections elections) {
			return new LeaderInfoContributor(elections);
		}

	}

}
