package io.leaderstarter.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.leaderstarter.backend.local.LocalLeaseStoreFactory;
import io.leaderstarter.election.spi.LeaseStoreFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Selects the store: the configured one, else the only one. A store that is only for
 * development must be configured.
 */
final class LeaseStoreSelector {

	private static final String JDBC = "leader.backend=jdbc: add a DataSource, for example spring-boot-starter-jdbc, "
			+ "a driver and spring.datasource.url.";

	private static final String ZOOKEEPER = "leader.backend=zookeeper: add org.apache.curator:curator-recipes and set "
			+ "leader.zookeeper.connect-string, or add a CuratorFramework bean.";

	private static final String ETCD = "leader.backend=etcd: add io.etcd:jetcd-core and set leader.etcd.endpoints, "
			+ "or add a Client bean of jetcd.";

	private static final String LOCAL = "leader.backend=local: for development on one node; no dependency is needed.";

	private LeaseStoreSelector() {
	}

	/**
	 * Refuse a Spring Boot whose auto-configurations have other names: their beans would
	 * not be found, and the message would be that there is no backend.
	 */
	static void requireSpringBoot(String version) {
		if (version.matches("[0-3]\\..*")) {
			throw new LeaderConfigurationException(
					"Leader election does not work with Spring Boot %s: it needs Spring Boot 4".formatted(version),
					List.of("Use Spring Boot 4.0 or later."));
		}
	}

	/**
	 * Refuse servers of a backend whose library is missing. Another backend would be used
	 * silently, and members that have the library would not share it.
	 */
	static void requireLibraries(@Nullable String configured, Environment environment,
			@Nullable ClassLoader classLoader) {
		requireLibrary("zookeeper", "leader.zookeeper.connect-string", "org.apache.curator:curator-recipes",
				"org.apache.curator.framework.CuratorFramework", configured, environment, classLoader);
		requireLibrary("etcd", "leader.etcd.endpoints", "io.etcd:jetcd-core", "io.etcd.jetcd.Client", configured,
				environment, classLoader);
	}

	private static void requireLibrary(String backend, String property, String library, String type,
			@Nullable String configured, Environment environment, @Nullable ClassLoader classLoader) {
		boolean wanted = configured == null || configured.strip().equalsIgnoreCase(backend);
		if (wanted && OnServers.areConfigured(property, environment) && !ClassUtils.isPresent(type, classLoader)) {
			throw new LeaderConfigurationException(
					"%s is set, but %s is not on the class path, so nothing can connect to these servers"
						.formatted(property, library),
					List.of("Add %s.".formatted(library), "Remove %s to use another backend.".formatted(property)));
		}
	}

	static LeaseStoreFactory select(@Nullable String configured, List<LeaseStoreFactory> shared,
			LeaseStoreFactory local) {
		List<LeaseStoreFactory> all = new ArrayList<>(shared);
		all.add(local);
		if (configured == null) {
			return find(null, shared).orElseThrow(() -> shared.isEmpty() ? none() : several(shared));
		}
		return find(configured, all).orElseThrow(() -> unusable(configured, all));
	}

	/** Return the store to use, if it is clear which. */
	static Optional<LeaseStoreFactory> find(@Nullable String configured, List<LeaseStoreFactory> all) {
		if (configured == null) {
			return (all.size() == 1) ? Optional.of(all.get(0)) : Optional.empty();
		}
		return all.stream().filter((factory) -> factory.name().equalsIgnoreCase(configured.strip())).findFirst();
	}

	/** Return whether the store in the memory of this process is configured. */
	static boolean isLocal(@Nullable String configured) {
		return configured != null && find(configured, List.of(new LocalLeaseStoreFactory())).isPresent();
	}

	private static LeaderConfigurationException none() {
		return new LeaderConfigurationException(
				"Leader election has no backend: found no DataSource, no leader.zookeeper.connect-string and no leader.etcd.endpoints, and leader.backend is not set",
				List.of(JDBC, ZOOKEEPER, ETCD, LOCAL));
	}

	private static LeaderConfigurationException several(List<LeaseStoreFactory> shared) {
		return new LeaderConfigurationException("Leader election has several backends to choose from: " + names(shared),
				shared.stream().map((factory) -> "Set leader.backend=" + factory.name() + ".").toList());
	}

	private static LeaderConfigurationException unusable(String configured, List<LeaseStoreFactory> all) {
		List<String> advice = Stream.of(JDBC, ZOOKEEPER, ETCD)
			.filter((backend) -> backend
				.startsWith("leader.backend=" + configured.strip().toLowerCase(Locale.ROOT) + ":"))
			.collect(Collectors.toCollection(ArrayList::new));
		all.forEach((factory) -> advice.add(factory instanceof LocalLeaseStoreFactory
				? "Set leader.backend=local only for development on one node: every instance of the application leads all roles then."
				: "Set leader.backend=" + factory.name() + "."));
		return new LeaderConfigurationException("leader.backend is '%s', which is not available. Available backends: %s"
			.formatted(configured, names(all)), advice);
	}

	private static String names(List<LeaseStoreFactory> factories) {
		return String.join(", ", factories.stream().map(LeaseStoreFactory::name).toList());
	}

}
