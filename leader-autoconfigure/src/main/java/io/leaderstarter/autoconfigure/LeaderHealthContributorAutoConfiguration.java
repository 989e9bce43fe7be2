package io.leaderstarter.autoconfigure;

import java.time.Duration;

import io.leaderstarter.actuate.LeaderHealthIndicator;
import io.leaderstarter.election.DefaultLeaderElections;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.context.annotation.Bean;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for {@link LeaderHealthIndicator}.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = LeaderAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnEnabledHealthIndicator.class)
@ConditionalOnEnabledHealthIndicator("leader")
@ConditionalOnBean(DefaultLeaderElections.class)
@EnableConfigurationProperties(LeaderHealthProperties.class)
public final class LeaderHealthContributorAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(name = { "leaderHealthIndicator", "leaderHealthContributor" })
	LeaderHealthIndicator leaderHealthContributor(DefaultLeaderElections elections, LeaderHealthProperties properties) {
		Duration outOfServiceAfter = properties.outOfServiceAfter();
		if (outOfServiceAfter != null) {
			PropertyCheck.atLeast(Duration.ZERO, "management.health.leader.out-of-service-after", outOfServiceAfter);
		}
		return new LeaderHealthIndicator(elections, outOfServiceAfter);
	}

}
