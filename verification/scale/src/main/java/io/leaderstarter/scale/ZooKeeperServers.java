package io.leaderstarter.scale;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

import io.leaderstarter.backend.zookeeper.ZooKeeperConnection;
import io.leaderstarter.backend.zookeeper.ZooKeeperLeaseProperties;
import io.leaderstarter.backend.zookeeper.ZooKeeperLeaseStoreFactory;
import io.leaderstarter.election.spi.LeaseStoreFactory;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingCluster;
import org.apache.curator.test.TestingZooKeeperServer;

/**
 * Three ZooKeeper servers in this process.
 */
final class ZooKeeperServers implements Coordinator {

	private final TestingCluster cluster;

	private final Duration tick;

	ZooKeeperServers(Duration tick) throws Exception {
		this.tick = tick;
		// What Curator picks by itself is sometimes the same port twice.
		Iterator<Integer> ports = freePorts(9).iterator();
		List<InstanceSpec> specs = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			specs.add(new InstanceSpec(null, ports.next(), ports.next(), ports.next(), true, -1, (int) tick.toMillis(),
					-1, Map.of("maxSessionTimeout", "60000")));
		}
		this.cluster = new TestingCluster(specs);
		this.cluster.start();
	}

	/** All at once, so that none is given out twice. */
	private static List<Integer> freePorts(int count) throws IOException {
		List<ServerSocket> sockets = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			sockets.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
		}
		List<Integer> ports = sockets.stream().map(ServerSocket::getLocalPort).toList();
		for (ServerSocket socket : sockets) {
			socket.close();
		}
		return ports;
	}

	@Override
	public LeaseStoreFactory stores() {
		return ZooKeeperLeaseStoreFactory.connecting(
				new ZooKeeperConnection(this.cluster.getConnectString(), null, null),
				new ZooKeeperLeaseProperties("/leader", this.tick, Duration.ofSeconds(20), false));
	}

	@Override
	public List<String> properties() {
		return List.of("--leader.backend=zookeeper",
				"--leader.zookeeper.connect-string=" + this.cluster.getConnectString(),
				"--leader.zookeeper.tick-time=" + this.tick.toMillis() + "ms",
				"--spring.autoconfigure.exclude=org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration");
	}

	/**
	 * How many requests the servers have agreed on so far, since one of them leads. Reads
	 * cost them little.
	 */
	@Override
	public long requests() throws IOException {
		for (InstanceSpec spec : this.cluster.getInstances()) {
			String status = status(spec.getPort());
			if (status.contains("Mode: leader")) {
				return status.lines()
					.filter((line) -> line.startsWith("Zxid: 0x"))
					.mapToLong((line) -> Long.parseLong(line.substring("Zxid: 0x".length()), 16))
					.sum();
			}
		}
		throw new IllegalStateException("No server leads");
	}

	@Override
	public double requestsForRenewal() {
		return 1;
	}

	/**
	 * The servers end a session at a full tick, and may have learned of it half a tick
	 * after its last request.
	 */
	@Override
	public Duration longestDelay() {
		return this.tick.multipliedBy(3).dividedBy(2).plusMillis(250);
	}

	@Override
	public void stop(int position) throws Exception {
		TestingZooKeeperServer server = this.cluster.getServers().get(position);
		server.stop();
	}

	private static String status(int port) throws IOException {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
			socket.getOutputStream().write("srvr".getBytes(StandardCharsets.US_ASCII));
			return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
		}
	}

	@Override
	public void close() throws IOException {
		this.cluster.close();
	}

}
