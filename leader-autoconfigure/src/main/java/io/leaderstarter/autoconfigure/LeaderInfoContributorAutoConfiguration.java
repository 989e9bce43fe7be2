package io.leaderstarter.autoconfigure;

import io.leaderstarter.actuate.LeaderInfoContributor;
import io.leaderstarter.election.DefaultLeaderElections;

import org.springframework.boot.actuate.autoconfigure.info.ConditionalOnEnabledInfoContributor;
import org.springframework.boot.actuate.autoconfigure.info.InfoContributorFallback;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for {@link LeaderInfoContributor}.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = LeaderAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnEnabledInfoContributor.class)
@ConditionalOnEnabledInfoContributor(value = "leader-roles", fallback = InfoContributorFallback.DISABLE)
@ConditionalOnBean(DefaultLeaderElections.class)
public final class LeaderInfoContributorAutoConfiguration {

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
