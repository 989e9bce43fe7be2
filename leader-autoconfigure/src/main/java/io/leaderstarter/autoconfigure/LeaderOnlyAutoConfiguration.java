package io.leaderstarter.autoconfigure;

import java.util.function.UnaryOperator;

import io.leaderstarter.aop.LeaderOnlyAdvisor;
import io.leaderstarter.aop.LeaderOnlyRegistrar;
import io.leaderstarter.aop.LeaderOnlyVerifier;
import io.leaderstarter.election.DefaultLeaderElections;

import io.leaderstarter.election.spi.LastRuns;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for {@code @LeaderOnly}.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = LeaderAutoConfiguration.class)
@Import(LeaderOnlyRegistrar.class)
public final class LeaderOnlyAutoConfiguration {

	/**
	 * An infrastructure bean, as the smallest auto-proxy creator uses no other advisors.
	 * The elections are resolved late, or the beans that they need would be created
	 * before they can be proxied.
	 */
	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnMissingBean
	static LeaderOnlyAdvisor leaderOnlyAdvisor(ObjectProvider<DefaultLeaderElections> elections,
			ObjectProvider<LastRuns> lastRuns, Environment environment) {
		return new LeaderOnlyAdvisor(elections::getObject, roleResolver(environment),
				(text) -> DurationStyle.detectAndParse(environment.resolveRequiredPlaceholders(text)),
				lastRuns::getIfAvailable);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static LeaderOnlyVerifier leaderOnlyVerifier(ConfigurableListableBeanFactory beanFactory,
			LeaderOnlyAdvisor advisor) {
		return new LeaderOnlyVerifier(beanFactory, advisor);
	}

	private static UnaryOperator<String> roleResolver(Environment environment) {
		return (role) -> {
			if (!role.isEmpty()) {
				return environment.resolveRequiredPlaceholders(role);
			}
			String name = environment.getProperty("spring.application.name");
			if (!StringUtils.hasText(name)) {
				throw new IllegalArgumentException("it names no role, and spring.application.name is not set");
			}
			return name;
		};
	}

}
