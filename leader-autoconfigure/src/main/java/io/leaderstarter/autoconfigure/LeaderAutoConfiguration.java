package io.leaderstarter.autoconfigure;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

import io.leaderstarter.LeaderElections;
import io.leaderstarter.Member;
import io.leaderstarter.backend.local.LocalLeaseStoreFactory;
import io.leaderstarter.election.Calls;
import io.leaderstarter.election.DefaultLeaderElections;
import io.leaderstarter.election.ElectionSettings;
import io.leaderstarter.election.TransitionLog;
import io.leaderstarter.election.spi.CallListener;
import io.leaderstarter.election.spi.CallObserver;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.LeaseStoreFactory;
import io.leaderstarter.election.spi.LeaseStores;
import io.leaderstarter.election.spi.Platform;
import io.leaderstarter.election.spi.StoreIdentity;
import io.leaderstarter.election.spi.TermGate;
import io.leaderstarter.election.spi.TimeSource;
import io.leaderstarter.election.state.LeaseTiming;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Fallback;
import org.springframework.context.support.DefaultLifecycleProcessor;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ResourceLoader;
import org.springframework.util.StringUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for leader election.
 *
 * @since 0.1.0
 */
@AutoConfiguration
@EnableConfigurationProperties(LeaderProperties.class)
public final class LeaderAutoConfiguration {

	private static final int LONGEST_NAMESPACE = 128;

	/** A longer one would be cut, and then two members could have the same. */
	private static final int LONGEST_ID_PREFIX = 128;

	private static final Duration AFTER_RELEASE = Duration.ofSeconds(5);

	@Bean
	RoleProperties leaderRoleProperties(Environment environment) {
		return RoleProperties.bind(environment);
	}

	@Bean
	@ConditionalOnMissingBean
	LeaseTiming leaseTiming(LeaderProperties properties, ObjectProvider<LeaseStoreFactory> factories) {
		LeaderProperties.Lease lease = properties.lease();
		Duration renewInterval = lease.renewInterval();
		if (renewInterval == null) {
			renewInterval = LeaseStoreSelector.find(properties.backend(), factories.orderedStream().toList())
				.map((factory) -> lease.ttl().dividedBy(factory.renewalsPerTtl()))
				.orElse(null);
		}
		PropertyCheck.atMostADay("leader.lease.ttl", lease.ttl());
		return LeaseTiming.of(lease.ttl(), renewInterval, null);
	}

	@Bean
	@ConditionalOnMissingBean
	LeaseStores leaseStores(LeaderProperties properties, LeaseTiming timing, Environment environment,
			ObjectProvider<LeaseStore> customStore, ObjectProvider<LeaseStoreFactory> factories,
			ResourceLoader resources) {
		LeaseStore custom = customStore.getIfAvailable();
		if (custom != null) {
			return LeaseStores.of(custom);
		}
		LeaseStoreSelector.requireSpringBoot(SpringBootVersion.getVersion());
		LeaseStoreSelector.requireLibraries(properties.backend(), environment, resources.getClassLoader());
		LeaseStoreFactory factory = LeaseStoreSelector.select(properties.backend(), factories.orderedStream().toList(),
				new LocalLeaseStoreFactory());
		timing.requireTtl(factory.name(), factory.minimumTtl())
			.requireIntervals(factory.name(), factory.leastIntervalsPerTtl());
		String namespace = namespace(properties, environment);
		return new LeaseStores(factory.name(),
				(member) -> factory.create(new StoreIdentity(namespace, member.id(), timing.ttl())), false);
	}

	/**
	 * The implementation, for infrastructure. A fallback, so that
	 * {@link #leaderElections(DefaultLeaderElections)} is injected as
	 * {@link LeaderElections}.
	 */
	@Bean(destroyMethod = "stop")
	@Fallback
	@ConditionalOnMissingBean
	DefaultLeaderElections leaderElectionEngine(LeaderProperties properties, RoleProperties roles, LeaseTiming timing,
			ObjectProvider<Member> customMember, LeaseStores stores, ObjectProvider<TermGate> gate,
			ApplicationEventPublisher publisher, ObjectProvider<CallListener> callListeners,
			ObjectProvider<CallObserver> callObservers, ObjectProvider<TimeSource> time) {
		Duration drainTimeout = PropertyCheck.atLeast(Duration.ZERO, "leader.shutdown.drain-timeout",
				properties.shutdown().drainTimeout());
		ElectionSettings settings = new ElectionSettings(timing, drainTimeout, properties.placement(),
				(role) -> settings(properties.candidate(), roles.find(role)));
		// Resolved late, as listeners for calls may need the elections.
		Calls calls = new Calls(SingletonSupplier.of(() -> callListeners.orderedStream().toList()),
				SingletonSupplier.of(() -> callObservers.orderedStream().toList()));
		DefaultLeaderElections elections = new DefaultLeaderElections(members(properties, customMember), stores,
				gate.getIfAvailable(() -> TermGate.OPEN), settings,
				Platform.of(time.getIfAvailable(() -> TimeSource.SYSTEM)), calls);
		elections.addListener(new TransitionLog());
		elections.addListener(new LeaderEventPublisher(publisher));
		if (properties.candidate().start() == LeaderProperties.Start.MANUAL) {
			elections.pause();
		}
		return elections;
	}

	/**
	 * The bean for applications. It is a separate one so that a test can replace it by a
	 * mock, or an application by a decorator, while the elections go on.
	 */
	@Bean
	@ConditionalOnBean(name = "leaderElectionEngine", search = SearchStrategy.CURRENT)
	@ConditionalOnMissingBean(value = LeaderElections.class, ignored = DefaultLeaderElections.class)
	LeaderElections leaderElections(DefaultLeaderElections engine) {
		return engine;
	}

	/**
	 * Only in the context of the elections: a child context must neither start nor stop
	 * those of its parent.
	 */
	@Bean
	@ConditionalOnBean(value = DefaultLeaderElections.class, search = SearchStrategy.CURRENT)
	LeaderLifecycle leaderLifecycle(DefaultLeaderElections elections, LeaderProperties properties, RoleProperties roles,
			LeaseTiming timing, ObjectProvider<DefaultLifecycleProcessor> processor, Environment environment) {
		// Calls end, then roles are released, then listeners are notified.
		Duration stopTimeout = properties.shutdown()
			.drainTimeout()
			.plus(timing.requestTimeout().multipliedBy(3))
			.plus(AFTER_RELEASE);
		// Beans of the application that stop in the same phase need their time-out.
		Duration others = Binder.get(environment)
			.bind("spring.lifecycle.timeout-per-shutdown-phase", Duration.class)
			.orElseGet(() -> Duration.ZERO);
		return new LeaderLifecycle(elections, (others.compareTo(stopTimeout) > 0) ? others : stopTimeout, processor,
				properties.candidate(), new StartMessage(elections, properties, roles, environment));
	}

	/** Create a member with a new id for each start, unless the application has one. */
	private static Supplier<Member> members(LeaderProperties properties, ObjectProvider<Member> custom) {
		Member fixed = custom.getIfAvailable();
		if (fixed != null) {
			return () -> fixed;
		}
		String property = properties.member().idPrefix();
		String idPrefix = (property != null)
				? PropertyCheck.readable(LONGEST_ID_PREFIX, "leader.member.id-prefix", property) : hostName();
		return () -> Member.start(idPrefix, properties.member().metadata());
	}

	private static ElectionSettings.Role settings(LeaderProperties.Candidate candidate, LeaderProperties.Role role) {
		Integer priority = role.priority();
		return new ElectionSettings.Role(candidate.enabled() && role.candidate(),
				(priority != null) ? priority : candidate.priority(), role.yieldAfterFailures());
	}

	static String namespace(LeaderProperties properties, Environment environment) {
		String property = StringUtils.hasText(properties.namespace()) ? "leader.namespace"
				: "leader.namespace (spring.application.name, as it is not set)";
		String namespace = findNamespace(properties, environment);
		if (!StringUtils.hasText(namespace)) {
			throw new LeaderConfigurationException(
					"Leader election needs a name that keeps this application apart from others in the same store",
					List.of("Set spring.application.name.", "Set leader.namespace."));
		}
		return PropertyCheck.readable(LONGEST_NAMESPACE, property, namespace.strip());
	}

	static @Nullable String findNamespace(LeaderProperties properties, Environment environment) {
		return StringUtils.hasText(properties.namespace()) ? properties.namespace()
				: environment.getProperty("spring.application.name");
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
