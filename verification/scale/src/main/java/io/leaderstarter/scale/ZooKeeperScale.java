package io.leaderstarter.scale;

import java.time.Duration;
import java.util.List;

import org.apache.zookeeper.util.ServiceUtils;

/**
 * Measures elections over ZooKeeper.
 */
public final class ZooKeeperScale {

	/** That of ZooKeeper's own sample configuration, and a short one. */
	private static final List<Duration> TICKS = List.of(Duration.ofSeconds(2), Duration.ofMillis(500));

	private ZooKeeperScale() {
	}

	public static void main(String[] args) throws Exception {
		// A server that cannot go on would end this program without a word.
		ServiceUtils.setSystemExitProcedure((code) -> System.out.println("A server wants to end with code " + code));
		CoordinatorScale scale = new CoordinatorScale();
		try (ZooKeeperServers servers = new ZooKeeperServers(TICKS.get(0))) {
			scale.manyRoles(servers);
			scale.freedRole(servers);
			scale.handOvers(servers);
		}
		for (Duration tick : TICKS) {
			try (ZooKeeperServers servers = new ZooKeeperServers(tick)) {
				scale.crashes(servers, "tick " + tick.toMillis() + " ms");
			}
		}
		scale.end();
	}

}
