package io.leaderstarter.testsupport;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.apache.zookeeper.server.NettyServerCnxnFactory;

/**
 * A ZooKeeper server that speaks TLS, with those only who have a certificate that it
 * trusts. It is a process of its own, as its settings count for all of a process.
 */
public final class TlsZooKeeper implements AutoCloseable {

	private final int securePort;

	private final ZooKeeperProcess process;

	/**
	 * Starts it.
	 * @param key what it shows
	 * @param trustStore whom it trusts
	 */
	public TlsZooKeeper(TestKey key, Path trustStore) {
		this(key, trustStore, List.of());
		this.process.awaitStatus("Mode: ");
	}

	private TlsZooKeeper(TestKey key, Path trustStore, List<String> more) {
		List<Integer> ports = ZooKeeperProcesses.freePorts(2);
		this.securePort = ports.get(1);
		List<String> configuration = new ArrayList<>(more);
		configuration.addAll(List.of("tickTime=" + ZooKeeperEnsemble.TICK.toMillis(), "minSessionTimeout=500",
				"maxSessionTimeout=60000", "admin.enableServer=false", "clientPort=" + ports.get(0),
				"clientPortAddress=127.0.0.1", "secureClientPort=" + this.securePort,
				"secureClientPortAddress=127.0.0.1", "serverCnxnFactory=" + NettyServerCnxnFactory.class.getName(),
				"ssl.keyStore.location=" + key.store(), "ssl.keyStore.password=" + TestKey.PASSWORD,
				"ssl.trustStore.location=" + trustStore, "ssl.trustStore.password=" + TestKey.PASSWORD));
		this.process = new ZooKeeperProcess(1, ports.get(0), configuration);
		this.process.start();
	}

	/**
	 * Starts one of three servers, the others of which are away.
	 * @param key what it shows
	 * @param trustStore whom it trusts
	 */
	public static TlsZooKeeper withoutMajority(TestKey key, Path trustStore) {
		List<Integer> ports = ZooKeeperProcesses.freePorts(6);
		List<String> servers = new ArrayList<>(List.of("initLimit=40", "syncLimit=6"));
		for (int i = 0; i < 3; i++) {
			servers.add("server.%d=127.0.0.1:%d:%d".formatted(i + 1, ports.get(2 * i), ports.get(2 * i + 1)));
		}
		TlsZooKeeper lonely = new TlsZooKeeper(key, trustStore, servers);
		lonely.process.awaitStatus("not currently serving");
		return lonely;
	}

	/** Where it speaks TLS. */
	public int securePort() {
		return this.securePort;
	}

	/** Where it does not. */
	public int plainPort() {
		return this.process.port();
	}

	/** Ends it at once, as a crash does. */
	public void kill() {
		this.process.kill();
	}

	/** Starts it again on the data and the stores that are there. */
	public void start() {
		this.process.start();
		this.process.awaitStatus("Mode: ");
	}

	@Override
	public void close() {
		this.process.close();
	}

}
