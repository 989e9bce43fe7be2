package io.leaderstarter.test;

import java.util.function.Supplier;

import io.leaderstarter.autoconfigure.LeaderAutoConfiguration;
import io.leaderstarter.election.CurrentMember;
import io.leaderstarter.election.DefaultLeaderElections;
import io.leaderstarter.election.LeaseTiming;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.TermGate;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.test.context.TestExecutionListener;

/**
 * {@link EnableAutoConfiguration Auto-configuration} that lets a test decide who leads.
 * Only where Spring's test support is, so that nobody gets it into production by a wrong
 * scope unnoticed.
 *
 * @since 0.1.0
 */
@AutoConfiguration(before = LeaderAutoConfiguration.class)
@ConditionalOnClass(TestExecutionListener.class)
@ConditionalOnBooleanProperty(name = "leader.test.enabled", matchIfMissing = true)
@ConditionalOnMissingBean(LeaseStore.class)
public final class LeaderTestAutoConfiguration {

	@Bean
	ManualTime leaderTestTime() {
		return new ManualTime();
	}

	@Bean
	ManualLeaseStore leaderTestStore(CurrentMember member, ObjectProvider<TermGate> gate) {
		return new ManualLeaseStore(member.get().id(), gate(gate));
	}

	@Bean
	ManualLeadership manualLeadership(ObjectProvider<DefaultLeaderElections> elections, ManualLeaseStore store,
			ManualTime time, LeaseTiming timing, ObjectProvider<TermGate> gate) {
		return new ManualLeadership(elections::getObject, store, time, timing, gate(gate));
	}

	private static Supplier<TermGate> gate(ObjectProvider<TermGate> gate) {
		return () -> gate.getIfUnique(() -> TermGate.OPEN);
	}

}
