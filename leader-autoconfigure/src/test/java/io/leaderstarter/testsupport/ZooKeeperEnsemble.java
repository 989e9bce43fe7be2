package io.leaderstarter.testsupport;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.IntStream;

import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingCluster;
import org.awaitility.Awaitility;

/**
 * Three real ZooKeeper servers in this process.
 */
public final class ZooKeeperEnsemble implements AutoCloseable {

	/** Shorter than usual, so that short sessions are possible. */
	public static final Duration TICK = Duration.ofMillis(500);

	private static final int SERVERS = 3;

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private final TestingCluster cluster;

	/**
	 * Starts three servers that nobody else uses.
	 * @param longestSession the longest session that they agree to
	 */
	public ZooKeeperEnsemble(Duration longestSession) {
		// What Curator picks by itself is sometimes the same port twice.
		Iterator<Integer> ports = ZooKeeperProcesses.freePorts(SERVERS * 3).iterator();
		List<InstanceSpec> specs = new ArrayList<>();
		for (int i = 0; i < SERVERS; i++) {
			specs.add(new InstanceSpec(null, ports.next(), ports.next(), ports.next(), true, -1, (int) TICK.toMillis(),
					-1, Map.of("minSessionTimeout", "500", "maxSessionTimeout", "" + longestSession.toMillis(),
							// Else servers leave each other when this process is paused.
							"initLimit", "120", "syncLimit", "60")));
		}
		this.cluster = new TestingCluster(specs);
		try {
			this.cluster.start();
		}
		catch (Exception ex) {
			throw new IllegalStateException("ZooKeeper did not start", ex);
		}
	}

	/** The servers that all tests of this process share. Nobody kills them. */
	public static ZooKeeperEnsemble shared() {
		return Shared.INSTANCE;
	}

	public String connectString() {
		return this.cluster.getConnectString();
	}

	/** The ports that clients connect to. */
	public List<Integer> ports() {
		return this.cluster.getInstances().stream().map(InstanceSpec::getPort).toList();
	}

	/** The position of the server that leads the others. */
	public int leader() {
		List<Integer> ports = ports();
		return Awaitility.await()
			.atMost(PATIENCE)
			.until(() -> IntStream.range(0, SERVERS)
				.filter((position) -> status(ports.get(position)).contains("Mode: leader"))
				.findFirst(), OptionalInt::isPresent)
			.getAsInt();
	}

	/** How many packets clients have sent to a server so far. */
	public int received(int position) {
		return Awaitility.await()
			.atMost(PATIENCE)
			.until(() -> status(ports().get(position)).lines()
				.filter((line) -> line.startsWith("Received: "))
				.mapToInt((line) -> Integer.parseInt(line.substring("Received: ".length())))
				.findFirst(), OptionalInt::isPresent)
			.getAsInt();
	}

	private static String status(int port) {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
			socket.getOutputStream().write("srvr".getBytes(StandardCharsets.US_ASCII));
			return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
		}
		catch (IOException ex) {
			return "";
		}
	}

	public void kill(int position) {
		try {
			this.cluster.getServers().get(position).stop();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	public void restart(int position) {
		try {
			this.cluster.getServers().get(position).restart();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void close() {
		try {
			this.cluster.close();
			deleteConfigurations();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** What our servers leave behind in the folder for temporary files. */
	private void deleteConfigurations() throws IOException {
		List<String> folders = this.cluster.getInstances()
			.stream()
			.map((instance) -> instance.getDataDirectory().getName())
			.toList();
		File[] files = new File(System.getProperty("java.io.tmpdir"))
			.listFiles((folder, name) -> name.startsWith("zookeeper.configuration"));
		for (File file : (files != null) ? files : new File[0]) {
			if (folders.stream().anyMatch(text(file)::contains)) {
				Files.deleteIfExists(file.toPath());
			}
		}
	}

	/** Other processes delete theirs at the same time. */
	private static String text(File file) {
		try {
			return Files.readString(file.toPath());
		}
		catch (IOException ex) {
			return "";
		}
	}

	private static final class Shared {

		private static final ZooKeeperEnsemble INSTANCE = start();

		private static ZooKeeperEnsemble start() {
			ZooKeeperEnsemble ensemble = new ZooKeeperEnsemble(Duration.ofMinutes(5));
			Runtime.getRuntime().addShutdownHook(new Thread(ensemble::close));
			return ensemble;
		}

	}

}
