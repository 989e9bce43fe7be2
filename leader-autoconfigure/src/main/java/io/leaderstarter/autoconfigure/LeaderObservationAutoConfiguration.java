package io.leaderstarter.autoconfigure;

import io.leaderstarter.election.DefaultLeaderElections;
import io.leaderstarter.fencing.Fences;
import io.leaderstarter.metrics.CallMdc;
import io.leaderstarter.metrics.CallObservations;
import io.leaderstarter.metrics.FenceMetrics;
import io.leaderstarter.metrics.LeaderCallObservationConvention;
import io.leaderstarter.metrics.LeaderMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import org.slf4j.MDC;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for the meters of leader election,
 * for observations of calls under a term, and for the role and the epoch in log messages.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = { LeaderAutoConfiguration.class, LeaderFenceAutoConfiguration.class }, afterName = {
		"org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
		"org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration",
		"org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration" })
@ConditionalOnBean(DefaultLeaderElections.class)
public final class LeaderObservationAutoConfiguration {

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(MeterRegistry.class)
	@ConditionalOnBean(MeterRegistry.class)
	static class Meters {

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

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(ObservationRegistry.class)
	@ConditionalOnBean(ObservationRegistry.class)
	static class Observations {

		@Bean
		@ConditionalOnMissingBean
		CallObservations leaderCallObservations(ObservationRegistry registry,
				ObjectProvider<LeaderCallObservationConvention> convention) {
			return new CallObservations(registry, convention.getIfAvailable());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(MDC.class)
	static class Logging {

		@Bean
		@ConditionalOnMissingBean
		CallMdc leaderCallMdc() {
			return new CallMdc();
		}

	}

}
