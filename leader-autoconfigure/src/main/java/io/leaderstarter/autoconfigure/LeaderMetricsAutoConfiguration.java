package io.leaderstarter.autoconfigure;

import io.leaderstarter.election.DefaultLeaderElections;
import io.leaderstarter.metrics.LeaderMetrics;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for {@link LeaderMetrics}.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = LeaderAutoConfiguration.class, afterName = {
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

}
