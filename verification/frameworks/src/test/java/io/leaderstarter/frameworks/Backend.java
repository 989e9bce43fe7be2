package io.leaderstarter.frameworks;

import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.stream.Stream;

import io.leaderstarter.testsupport.EtcdCluster;
import io.leaderstarter.testsupport.ZooKeeperEnsemble;

/**
 * What the applications of the tests elect their leaders over.
 */
enum Backend {

	JDBC {

		@Override
		List<String> properties() {
			return List.of();
		}

	},

	ZOOKEEPER {

		@Override
		List<String> properties() {
			return List.of("leader.zookeeper.connect-string=" + ZooKeeperEnsemble.shared().connectString(),
					"leader.zookeeper.base-path=/frameworks/" + UUID.randomUUID(),
					"leader.zookeeper.tick-time=" + ZooKeeperEnsemble.TICK.toMillis() + "ms");
		}

	},

	ETCD {

		@Override
		List<String> properties() {
			return List.of("leader.etcd.endpoints=" + String.join(",", EtcdCluster.shared().endpoints()),
					"leader.etcd.key-prefix=/frameworks/" + UUID.randomUUID());
		}

	};

	abstract List<String> properties();

	/** What an application is started with. */
	String[] arguments(String... others) {
		Stream<String> backend = Stream.concat(Stream.of("leader.backend=" + name().toLowerCase(Locale.ROOT)),
				properties().stream());
		return Stream.concat(Stream.of(others), backend.map((property) -> "--" + property)).toArray(String[]::new);
	}

}
