package io.leaderstarter.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.leaderstarter.backend.local.LocalLeaseStoreFactory;
import io.leaderstarter.election.spi.LeaseStoreFactory;
import org.jspecify.annotations.Nullable;

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

	private LeaseStoreSelector() {
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
		all.forEach((factory) -> advice.add("Set leader.backend=" + factory.name() + "."));
		return new LeaderConfigurationException(
				"leader.backend is '%s', which cannot be used here. What can: %s".formatted(asked, names(all)), advice);
	}

	private static String names(List<LeaseStoreFactory> factories) {
		return String.join(", ", factories.stream().map(LeaseStoreFactory::name).toList());
	}

}
