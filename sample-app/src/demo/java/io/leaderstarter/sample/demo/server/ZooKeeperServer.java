package io.leaderstarter.sample.demo.server;

import java.util.Map;

import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;

/**
 * A single ZooKeeper server.
 */
final class ZooKeeperServer {

	/** Shorter than usual, so that short sessions are possible. */
	private static final int TICK_MILLIS = 500;

	private ZooKeeperServer() {
	}

	public static void main(String[] args) throws Exception {
		try (TestingServer server = new TestingServer(
				new InstanceSpec(null, -1, -1, -1, true, -1, TICK_MILLIS, -1, Map.of("maxSessionTimeout", "60000")),
				true)) {
			ServerLines.ready(Map.of("leader.backend", "zookeeper", "leader.zookeeper.connect-string",
					server.getConnectString(), "leader.zookeeper.tick-time", TICK_MILLIS + "ms"));
			ServerLines.serve();
		}
	}

}
