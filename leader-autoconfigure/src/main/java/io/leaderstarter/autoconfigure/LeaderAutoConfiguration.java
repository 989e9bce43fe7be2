package io.leaderstarter.autoconfigure;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.function.Predicate;

import io.leaderstarter.Member;
import io.leaderstarter.backend.local.LocalLeaseStoreFactory;
import io.leaderstarter.election.DefaultLeaderElections;
import io.leaderstarter.election.ElectionSettings;
import io.leaderstarter.election.LeaseTiming;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.LeaseStoreFactory;
import io.leaderstarter.election.spi.StoreIdentity;
import io.leaderstarter.election.spi.TermGate;
import io.leaderstarter.election.spi.TimeSource;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for leader election.
 *
 * @since 0.1.0
 */
@AutoConfiguration
@EnableConfigurationProperties(LeaderProperties.class)
public final class LeaderAutoConfiguration {

	private static final int LONGEST_NAMESPACE = 128;

	@Bean
	@ConditionalOnMissingBean
	Member leaderMember(LeaderProperties properties) {
		String idPrefix = properties.getMember().getIdPrefix();
		return Member.start((idPrefix != null) ? idPrefix : hostName(), properties.getMember().getMetadata());
	}

	@Bean
	@ConditionalOnMissingBean
	LeaseTiming leaseTiming(LeaderProperties properties) {
		LeaderProperties.Lease lease = properties.getLease();
		return LeaseTiming.of(lease.getTtl(), lease.getRenewInterval(), lease.getRequestTimeout(), lease.getMargin());
	}

	@Bean
	@ConditionalOnMissingBean
	LeaseStore leaseStore(LeaderProperties properties, LeaseTiming timing, Member member, Environment environment,
			ObjectProvider<LeaseStoreFactory> factories) {
		LeaseStoreFactory factory = LeaseStoreSelector.select(properties.getBackend(),
				factories.orderedStream().toList(), new LocalLeaseStoreFactory());
		timing.requireTtl(factory.name(), factory.minimumTtl());
		return factory.create(new StoreIdentity(namespace(properties, environment), member.id(), timing.ttl()));
	}

	@Bean
	@ConditionalOnMissingBean
	DefaultLeaderElections leaderElections(LeaderProperties properties, LeaseTiming timing, Member member,
			LeaseStore store, ObjectProvider<TermGate> gate, ApplicationEventPublisher publisher) {
		ElectionSettings settings = new ElectionSettings(timing, properties.getShutdown().getDrainTimeout(),
				candidate(properties));
		DefaultLeaderElections elections = new DefaultLeaderElections(member, store,
				gate.getIfUnique(() -> TermGate.OPEN), settings, TimeSource.SYSTEM);
		elections.addListener(new LeaderEventPublisher(publisher));
		properties.getRoles().keySet().forEach(elections::join);
		return elections;
	}

	@Bean
	LeaderLifecycle leaderLifecycle(DefaultLeaderElections elections) {
		return new LeaderLifecycle(elections);
	}

	private static Predicate<String> candidate(LeaderProperties properties) {
		return (role) -> {
			LeaderProperties.Role settings = properties.getRoles().get(role);
			return properties.getCandidate().isEnabled() && (settings == null || settings.isCandidate());
		};
	}

	private static String namespace(LeaderProperties properties, Environment environment) {
		String namespace = properties.getNamespace();
		if (!StringUtils.hasText(namespace)) {
			namespace = environment.getProperty("spring.application.name");
		}
		if (!StringUtils.hasText(namespace)) {
			throw new LeaderConfigurationException(
					"Leader election needs a name that keeps this application apart from others in the same store",
					List.of("Set spring.application.name.", "Set leader.namespace."));
		}
		String stripped = namespace.strip();
		if (stripped.length() > LONGEST_NAMESPACE || stripped.chars().anyMatch(Character::isISOControl)) {
			throw new LeaderConfigurationException(
					"The namespace of leader election must have at most %d characters, none of which controls"
						.formatted(LONGEST_NAMESPACE),
					List.of("Set leader.namespace to a shorter name."));
		}
		return stripped;
	}

	private static String hostName() {
		try {
			return InetAddress.getLocalHost().getHostName();
		}
		catch (UnknownHostException ex) {
			return "unknown-host";
		}
	}

}
