package io.leaderstarter.chaos;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

import io.leaderstarter.testsupport.EtcdCluster;
import io.leaderstarter.testsupport.StoreServers;
import io.leaderstarter.testsupport.ZooKeeperProcesses;
import org.jspecify.annotations.Nullable;

/**
 * What keeps the leases: servers of their own, or the database.
 *
 * @param backend which kind
 * @param own the servers, {@code null} if it is the database
 */
record Coordinator(Options.Backend backend, @Nullable StoreServers own) implements AutoCloseable {

	private static final Duration TICK = Duration.ofMillis(500);

	private static final int SERVERS = 3;

	static Coordinator start(Options.Backend backend) {
		return new Coordinator(backend, switch (backend) {
			case JDBC -> null;
			case ZOOKEEPER -> ZooKeeperProcesses.started(TICK);
			case ETCD -> EtcdCluster.of(SERVERS);
		});
	}

	/** The servers, which there have to be. */
	StoreServers servers() {
		return Objects.requireNonNull(this.own, "The database keeps the leases");
	}

	/** The ports of the servers, none if the database keeps the leases. */
	List<Integer> ports() {
		return (this.own != null) ? this.own.ports() : List.of();
	}

	/** What the application is configured with to reach the servers at these ports. */
	List<String> properties(List<Integer> ports) {
		String backend = "leader.backend=" + Options.lower(this.backend);
		return switch (this.backend) {
			case JDBC -> List.of(backend);
			case ZOOKEEPER -> List.of(backend, "leader.zookeeper.connect-string=" + addresses(ports, ""),
					"leader.zookeeper.tick-time=" + TICK.toMillis() + "ms");
			case ETCD -> List.of(backend, "leader.etcd.endpoints=" + addresses(ports, "http://"));
		};
	}

	private static String addresses(List<Integer> ports, String scheme) {
		return ports.stream().map((port) -> scheme + "127.0.0.1:" + port).collect(Collectors.joining(","));
	}

	@Override
	public void close() {
		if (this.own != null) {
			this.own.close();
		}
	}

}
