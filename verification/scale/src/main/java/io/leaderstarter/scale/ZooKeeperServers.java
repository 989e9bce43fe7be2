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

import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingCluster;
import org.apache.curator.test.TestingZooKeeperServer;

/**
 * Three ZooKeeper servers in this process.
 */
final class ZooKeeperServers implements AutoCloseable {

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

	String connectString() {
		return this.cluster.getConnectString();
	}

	Duration tick() {
		return this.tick;
	}

	/** How many requests the servers have agreed on so far, since one of them leads. */
	long agreed() throws IOException {
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

	void stop(int position) throws Exception {
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
