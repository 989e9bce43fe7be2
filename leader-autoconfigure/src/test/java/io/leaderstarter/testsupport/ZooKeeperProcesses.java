package io.leaderstarter.testsupport;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/**
 * Three real ZooKeeper servers, each a process of its own, so that a test can kill or
 * freeze single ones.
 */
public final class ZooKeeperProcesses implements StoreServers {

	private static final int SERVERS = 3;

	private static final int PORTS = 3;

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private final List<ZooKeeperProcess> servers = new ArrayList<>();

	private ZooKeeperProcesses(Duration tick) {
		List<Integer> ports = freePorts(SERVERS * PORTS);
		List<String> shared = new ArrayList<>(List.of("tickTime=" + tick.toMillis(), "minSessionTimeout=500",
				"maxSessionTimeout=60000", "initLimit=40", "syncLimit=6", "admin.enableServer=false",
				"clientPortAddress=127.0.0.1", "maxClientCnxns=0"));
		for (int i = 0; i < SERVERS; i++) {
			shared
				.add("server.%d=127.0.0.1:%d:%d".formatted(i + 1, ports.get(i * PORTS + 1), ports.get(i * PORTS + 2)));
		}
		for (int i = 0; i < SERVERS; i++) {
			List<String> own = new ArrayList<>(shared);
			own.add("clientPort=" + ports.get(i * PORTS));
			this.servers.add(new ZooKeeperProcess(i + 1, ports.get(i * PORTS), own));
		}
	}

	/**
	 * Starts three servers and waits until they work together.
	 * @param tick their tickTime
	 */
	public static ZooKeeperProcesses started(Duration tick) {
		ZooKeeperProcesses processes = new ZooKeeperProcesses(tick);
		try {
			processes.heal();
		}
		catch (RuntimeException ex) {
			processes.close();
			throw ex;
		}
		return processes;
	}

	/** All of them, for clients. */
	public String connectString() {
		return IntStream.range(0, SERVERS).mapToObj(this::connectString).collect(Collectors.joining(","));
	}

	/** One of them, for clients. */
	public String connectString(int position) {
		return "127.0.0.1:" + port(position);
	}

	@Override
	public List<Integer> ports() {
		return this.servers.stream().map(ZooKeeperProcess::port).toList();
	}

	public int port(int position) {
		return this.servers.get(position).port();
	}

	/** The id of the process. */
	public long id(int position) {
		return this.servers.get(position).id();
	}

	/** The position of the server that clients reach at the port. */
	public int at(int port) {
		return find((server) -> server.port() == port);
	}

	@Override
	public int leader() {
		return find((server) -> server.status().contains("Mode: leader"));
	}

	/** The position of a server that follows, and is not the one given. */
	public int followerBeside(int position) {
		return find((server) -> server.port() != port(position) && server.status().contains("Mode: follower"));
	}

	@Override
	public void freeze(int position) {
		this.servers.get(position).freeze();
	}

	@Override
	public void goOn(int position) {
		this.servers.get(position).goOn();
	}

	@Override
	public void kill(int position) {
		this.servers.get(position).kill();
	}

	/** Starts a server that was killed. Nobody waits for it. */
	public void start(int position) {
		this.servers.get(position).start();
	}

	@Override
	public void heal() {
		this.servers.forEach(ZooKeeperProcess::goOn);
		this.servers.stream().filter((server) -> !server.isStarted()).forEach(ZooKeeperProcess::start);
		try {
			Awaitility.await()
				.atMost(PATIENCE)
				.pollInterval(Duration.ofMillis(50))
				.until(() -> this.servers.stream().allMatch((server) -> server.status().contains("Mode: ")));
		}
		catch (ConditionTimeoutException ex) {
			throw new IllegalStateException("The ZooKeeper servers do not work together: "
					+ this.servers.stream().map((server) -> server.status() + server.log()).toList(), ex);
		}
	}

	@Override
	public void close() {
		this.servers.forEach(ZooKeeperProcess::close);
	}

	private int find(Predicate<ZooKeeperProcess> filter) {
		return Awaitility.await()
			.atMost(PATIENCE)
			.until(() -> IntStream.range(0, SERVERS)
				.filter((position) -> filter.test(this.servers.get(position)))
				.findFirst(), OptionalInt::isPresent)
			.getAsInt();
	}

	/** All at once, so that none is given out twice. */
	static List<Integer> freePorts(int count) {
		List<ServerSocket> sockets = new ArrayList<>();
		try {
			for (int i = 0; i < count; i++) {
				sockets.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
			}
			List<Integer> ports = sockets.stream().map(ServerSocket::getLocalPort).toList();
			for (ServerSocket socket : sockets) {
				socket.close();
			}
			return ports;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
