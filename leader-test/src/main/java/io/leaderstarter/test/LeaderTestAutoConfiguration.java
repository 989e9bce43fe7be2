package io.leaderstarter.test;

import java.util.function.Supplier;

import io.leaderstarter.autoconfigure.LeaderAutoConfiguration;
import io.leaderstarter.election.DefaultLeaderElections;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.TermGate;
import io.leaderstarter.election.state.LeaseTiming;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.event.ApplicationStartedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.test.context.TestExecutionListener;

/**
 * {@link EnableAutoConfiguration Auto-configuration} that lets a test decide who leads.
 * Only where Spring's test support is. If both get into production by a wrong scope, the
 * log says so.
 *
 * @since 0.1.0
 */
@AutoConfiguration(before = LeaderAutoConfiguration.class)
@ConditionalOnClass(TestExecutionListener.class)
@ConditionalOnBooleanProperty(name = LeaderTestAutoConfiguration.ENABLED, matchIfMissing = true)
@ConditionalOnMissingBean(LeaseStore.class)
public final class LeaderTestAutoConfiguration {

	static final String ENABLED = "leader.test.enabled";

	private static final Log logger = LogFactory.getLog(LeaderTestAutoConfiguration.class);

	@Bean
	ManualTime leaderTestTime() {
		return new ManualTime();
	}

	@Bean
	ManualLeaseStore leaderTestStore(ObjectProvider<DefaultLeaderElections> elections, ObjectProvider<TermGate> gate) {
		return new ManualLeaseStore(() -> elections.getObject().member().id(), gate(gate));
	}

	@Bean
	ManualLeadership manualLeadership(ObjectProvider<DefaultLeaderElections> elections, ManualLeaseStore store,
			ManualTime time, LeaseTiming timing, ObjectProvider<TermGate> gate) {
		return new ManualLeadership(elections::getObject, store, time, timing, gate(gate));
	}

	@Bean
	Retries leaderTestRetries(ObjectProvider<DefaultLeaderElections> elections, ManualLeaseStore store,
			ManualTime time) {
		return new Retries(elections::getObject, store, time);
	}

	/**
	 * In a wrong scope it would keep an application from leading, for ever and without a
	 * sign. Before its runners, as these may wait to lead.
	 */
	@Bean
	ApplicationListener<ApplicationStartedEvent> leaderTestOutsideOfTests(Environment environment,
			ObjectProvider<LeadershipContextCustomizerFactory.StartedByTest> test) {
		return (event) -> {
			if (test.stream().findAny().isEmpty() && !environment.containsProperty(ENABLED)) {
				logger.warn("leader-test is on the class path of an application that no test has started. "
						+ "This member never leads, as only a test could let it. "
						+ "Give io.leaderstarter:leader-test the scope of tests, or set " + ENABLED
						+ "=false for the application's backend. If a test runs this application by itself, " + "set "
						+ ENABLED + "=true");
			}
		};
	}

	private static Supplier<TermGate> gate(ObjectProvider<TermGate> gate) {
		return () -> gate.getIfAvailable(() -> TermGate.OPEN);
	}

}
