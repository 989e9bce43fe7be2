package io.leaderstarter.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.leaderstarter.backend.local.LocalLeaseStoreFactory;
import io.leaderstarter.election.spi.LeaseStoreFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Picks the store: the one that was asked for, else the only one that there is. A store
 * that is only for development must be asked for.
 */
final class LeaseStoreSelector {

	private static final String JDBC = "leader.backend=jdbc: add a DataSource, for example spring-boot-starter-jdbc, "
			+ "a driver and spring.datasource.url.";

	private static final String ZOOKEEPER = "leader.backend=zookeeper: add org.apache.curator:curator-recipes and set "
			+ "leader.zookeeper.connect-string, or add a CuratorFramework bean.";

	private static final String ETCD = "leader.backend=etcd: add io.etcd:jetcd-core and set leader.etcd.endpoints, "
			+ "or add a Client bean of jetcd.";

	private static final String LOCAL = "leader.backend=local: for development on one node; nothing is to be added.";

	private static final int EARLIEST_SPRING_BOOT = 4;

	private LeaseStoreSelector() {
	}

	/**
	 * Refuses a Spring Boot whose auto-configurations have other names: nothing of what
	 * it configures would be found, and the failure would be that there is no backend.
	 */
	static void requireSpringBoot(String version) {
		String major = version.substring(0, Math.max(version.indexOf('.'), 0));
		if (major.chars().allMatch(Character::isDigit) && !major.isEmpty()
				&& Integer.parseInt(major) < EARLIEST_SPRING_BOOT) {
			throw new LeaderConfigurationException(
					"Leader election does not work with Spring Boot %s: it needs Spring Boot 4".formatted(version),
					List.of("Use Spring Boot 4.0 or later."));
		}
	}

	/**
	 * Refuses servers that are named for a backend whose library is missing. Another
	 * backend would be taken without a word, and members that have the library would not
	 * share it.
	 */
	static void requireLibraries(@Nullable String asked, Environment environment, @Nullable ClassLoader classLoader) {
		requireLibrary("zookeeper", "leader.zookeeper.connect-string", "org.apache.curator:curator-recipes",
				"org.apache.curator.framework.CuratorFramework", asked, environment, classLoader);
		requireLibrary("etcd", "leader.etcd.endpoints", "io.etcd:jetcd-core", "io.etcd.jetcd.Client", asked,
				environment, classLoader);
	}

	private static void requireLibrary(String backend, String property, String library, String type,
			@Nullable String asked, Environment environment, @Nullable ClassLoader classLoader) {
		boolean wanted = asked == null || asked.strip().equalsIgnoreCase(backend);
		if (wanted && OnServers.areNamed(property, environment) && !ClassUtils.isPresent(type, classLoader)) {
			throw new LeaderConfigurationException(
					"%s is set, but %s is not on the class path, so nothing can connect to these servers"
						.formatted(property, library),
					List.of("Add %s.".formatted(library), "Remove %s to use another backend.".formatted(property)));
		}
	}

	static LeaseStoreFactory select(@Nullable String asked, List<LeaseStoreFactory> shared, LeaseStoreFactory local) {
		List<LeaseStoreFactory> all = new ArrayList<>(shared);
		all.add(local);
		if (asked == null) {
			return find(null, shared).orElseThrow(() -> shared.isEmpty() ? none() : several(shared));
		}
		return find(asked, all).orElseThrow(() -> unusable(asked, all));
	}

	/** The store that is taken, if it is clear which. */
	static Optional<LeaseStoreFactory> find(@Nullable String asked, List<LeaseStoreFactory> all) {
		if (asked == null) {
			return (all.size() == 1) ? Optional.of(all.get(0)) : Optional.empty();
		}
		return all.stream().filter((factory) -> factory.name().equalsIgnoreCase(asked.strip())).findFirst();
	}

	/** Whether the store was asked for that is known to this process only. */
	static boolean isLocal(@Nullable String asked) {
		return asked != null && find(asked, List.of(new LocalLeaseStoreFactory())).isPresent();
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

	private static LeaderConfigurationException unusable(String asked, List<LeaseStoreFactory> all) {
		List<String> advice = new ArrayList<>();
		if (asked.strip().equalsIgnoreCase("jdbc")) {
			advice.add(JDBC);
		}
		if (asked.strip().equalsIgnoreCase("zookeeper")) {
			advice.add(ZOOKEEPER);
		}
		if (asked.strip().equalsIgnoreCase("etcd")) {
			advice.add(ETCD);
		}
		all.forEach((factory) -> advice.add(factory instanceof LocalLeaseStoreFactory
				? "Set leader.backend=local only for development on one node: every instance of the application leads all roles then."
				: "Set leader.backend=" + factory.name() + "."));
		return new LeaderConfigurationException(
				"leader.backend is '%s', which cannot be used here. What can: %s".formatted(asked, names(all)), advice);
	}

	private static String names(List<LeaseStoreFactory> factories) {
		return String.join(", ", factories.stream().map(LeaseStoreFactory::name).toList());
	}

}
