package io.leaderstarter.autoconfigure;

import io.leaderstarter.actuate.LeaderEndpoint;
import io.leaderstarter.actuate.LeaderEndpointWebExtension;
import io.leaderstarter.election.DefaultLeaderElections;

import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for {@link LeaderEndpoint}.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = LeaderAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnAvailableEndpoint(LeaderEndpoint.class)
@ConditionalOnBean(DefaultLeaderElections.class)
public final class LeaderEndpointAutoConfiguration {

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
