package io.leaderstarter.autoconfigure;

import io.leaderstarter.election.DefaultLeaderElections;
import io.leaderstarter.fencing.Fences;
import io.leaderstarter.metrics.FenceMetrics;
import io.leaderstarter.metrics.LeaderMetrics;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for the meters of leader election.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = { LeaderAutoConfiguration.class, LeaderFenceAutoConfiguration.class }, afterName = {
		"org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
		"org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration" })
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean({ MeterRegistry.class, DefaultLeaderElections.class })
public final class LeaderMetricsAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	LeaderMetrics leaderMetrics(DefaultLeaderElections elections) {
		return new LeaderMetrics(elections);
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(name = "org.springframework.jdbc.datasource.ConnectionProxy")
	@ConditionalOnBean(Fences.class)
	static class OfFences {

		@Bean
		@ConditionalOnMissingBean
		FenceMetrics leaderFenceMetrics(Fences fences) {
			return new FenceMetrics(fences);
		}

	}

}
