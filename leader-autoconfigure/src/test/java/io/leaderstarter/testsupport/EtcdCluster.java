package io.leaderstarter.testsupport;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.etcd.jetcd.Client;
import org.awaitility.Awaitility;

import org.springframework.util.FileSystemUtils;

/**
 * Servers of etcd on this machine, each a process of its own.
 */
public final class EtcdCluster implements StoreServers {

	private static final int PORTS = 3;

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private final Path folder;

	private final String scheme;

	private final List<EtcdServerProcess> servers = new ArrayList<>();

	private EtcdCluster(int size, String scheme, List<String> options) {
		this.scheme = scheme;
		try {
			this.folder = Files.createTempDirectory("leader-etcd-");
			List<Integer> ports = freePorts(size * PORTS);
			String peers = IntStream.range(0, size)
				.mapToObj((i) -> "s%d=%s".formatted(i, url(ports.get(PORTS * i))))
				.collect(Collectors.joining(","));
			String token = UUID.randomUUID().toString();
			for (int i = 0; i < size; i++) {
				Path own = this.folder.resolve("s" + i);
				String peer = url(ports.get(PORTS * i));
				String client = "%s://127.0.0.1:%d".formatted(scheme, ports.get(PORTS * i + 1));
				List<String> identity = List.of("--name", "s" + i, "--data-dir", own.resolve("data").toString(),
						"--initial-advertise-peer-urls", peer, "--initial-cluster", peers, "--initial-cluster-token",
						token);
				List<String> settings = new ArrayList<>(List.of("--listen-peer-urls", peer, "--listen-client-urls",
						client, "--advertise-client-urls", client, "--listen-metrics-urls",
						url(ports.get(PORTS * i + 2)), "--initial-cluster-state", "new",
						// What a test writes need not outlive the machine.
						"--unsafe-no-fsync", "--log-level", "error", "--logger", "zap"));
				settings.addAll(options);
				this.servers.add(new EtcdServerProcess(own, identity, settings, ports.get(PORTS * i + 1),
						ports.get(PORTS * i + 2)));
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		start();
	}

	/**
	 * Starts servers that nobody else uses.
	 * @param size how many
	 */
	public static EtcdCluster of(int size) {
		return new EtcdCluster(size, "http", List.of());
	}

	/**
	 * Starts a server with options of its own.
	 * @param options its options
	 */
	public static EtcdCluster with(String... options) {
		return new EtcdCluster(1, "http", List.of(options));
	}

	/**
	 * Starts a server that speaks TLS.
	 * @param options its options for that
	 */
	public static EtcdCluster speakingTls(String... options) {
		return new EtcdCluster(1, "https", List.of(options));
	}

	/** The three servers that all tests of this process share. Nobody kills them. */
	public static EtcdCluster shared() {
		return Shared.INSTANCE;
	}

	/** Where clients connect to, each with a scheme. */
	public List<String> endpoints() {
		return this.servers.stream()
			.map((server) -> "%s://127.0.0.1:%d".formatted(this.scheme, server.clientPort()))
			.toList();
	}

	/** Where clients connect to, without schemes. */
	public List<String> addresses() {
		return ports().stream().map((port) -> "127.0.0.1:" + port).toList();
	}

	@Override
	public List<Integer> ports() {
		return this.servers.stream().map(EtcdServerProcess::clientPort).toList();
	}

	/** A client for tests that read keys, or change them. */
	public Client client() {
		return Client.builder().endpoints(endpoints().toArray(String[]::new)).build();
	}

	@Override
	public int leader() {
		return Awaitility.await()
			.atMost(PATIENCE)
			.until(() -> IntStream.range(0, this.servers.size())
				.filter((i) -> this.servers.get(i).isLeader())
				.findFirst(), OptionalInt::isPresent)
			.getAsInt();
	}

	/** What its program calls itself. */
	public String version() {
		try (Client client = client()) {
			return client.getMaintenanceClient().statusMember("dns:///" + addresses().get(0)).join().getVersion();
		}
	}

	/** How many requests for a method clients have sent to all servers so far. */
	public long requests(String method) {
		return (long) this.servers.stream()
			.mapToDouble((server) -> Awaitility.await()
				.atMost(PATIENCE)
				.until(() -> server.metric("grpc_server_started_total{grpc_method=\"%s\"".formatted(method)),
						Optional::isPresent)
				.orElseThrow())
			.sum();
	}

	@Override
	public void kill(int position) {
		this.servers.get(position).kill();
	}

	public void restart(int position) {
		this.servers.get(position).start();
	}

	@Override
	public void freeze(int position) {
		this.servers.get(position).freeze();
	}

	@Override
	public void goOn(int position) {
		this.servers.get(position).goOn();
	}

	/** Starts those that are not running, and waits for all. */
	public void start() {
		try {
			this.servers.forEach(EtcdServerProcess::start);
			awaitHealthy();
		}
		catch (RuntimeException ex) {
			close();
			throw ex;
		}
	}

	@Override
	public void heal() {
		start();
	}

	public void awaitHealthy() {
		this.servers.forEach(EtcdServerProcess::awaitHealthy);
	}

	/** Keeps what the servers know, as people do who fear for it. */
	public Path snapshot() {
		Path snapshot = this.folder.resolve("snapshot-" + UUID.randomUUID());
		try (Client client = client(); OutputStream file = Files.newOutputStream(snapshot)) {
			client.getMaintenanceClient().snapshot(file).join();
			return snapshot;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Kills all servers, and starts them with what they knew once. They are a new cluster
	 * then, at the same place, whose counters go on from the snapshot.
	 */
	public void restore(Path snapshot) {
		this.servers.forEach((server) -> server.restore(snapshot));
		start();
	}

	@Override
	public void close() {
		this.servers.forEach(EtcdServerProcess::close);
		FileSystemUtils.deleteRecursively(this.folder.toFile());
	}

	private static String url(int port) {
		return "http://127.0.0.1:" + port;
	}

	/** All are taken at the same time, so that they differ. */
	private static List<Integer> freePorts(int count) throws IOException {
		List<ServerSocket> sockets = new ArrayList<>();
		try {
			for (int i = 0; i < count; i++) {
				sockets.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
			}
			return sockets.stream().map(ServerSocket::getLocalPort).toList();
		}
		finally {
			for (ServerSocket socket : sockets) {
				socket.close();
			}
		}
	}

	private static final class Shared {

		private static final EtcdCluster INSTANCE = start();

		private static EtcdCluster start() {
			EtcdCluster cluster = EtcdCluster.of(3);
			Runtime.getRuntime().addShutdownHook(new Thread(cluster::close));
			return cluster;
		}

	}

}
