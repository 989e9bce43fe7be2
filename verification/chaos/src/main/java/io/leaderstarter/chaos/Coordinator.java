package io.leaderstarter.chaos;

import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.leaderstarter.testsupport.EtcdCluster;
import io.leaderstarter.testsupport.ZooKeeperProcesses;

/**
 * The servers that keep the leases.
 */
interface Coordinator extends AutoCloseable {

	/** The ports of the servers, none if the database keeps the leases. */
	List<Integer> ports();

	/** What the application is configured with to reach the servers at these ports. */
	List<String> properties(List<Integer> ports);

	/** Which server leads the others. */
	int leader();

	void freeze(int server);

	void goOn(int server);

	void kill(int server);

	/** Starts a server that was killed, and waits until it answers. */
	void start(int server);

	@Override
	void close();

	static Coordinator start(Options.Backend backend) {
		return switch (backend) {
			case JDBC -> new Nothing();
			case ZOOKEEPER -> new ZooKeeper(ZooKeeperProcesses.started(ZooKeeper.TICK));
			case ETCD -> new Etcd(EtcdCluster.of(Etcd.SERVERS));
		};
	}

	private static String addresses(List<Integer> ports) {
		return ports.stream().map((port) -> "127.0.0.1:" + port).collect(Collectors.joining(","));
	}

	/** The database keeps the leases. */
	record Nothing() implements Coordinator {

		@Override
		public List<Integer> ports() {
			return List.of();
		}

		@Override
		public List<String> properties(List<Integer> ports) {
			return List.of("leader.backend=jdbc");
		}

		@Override
		public int leader() {
			throw new IllegalStateException();
		}

		@Override
		public void freeze(int server) {
			throw new IllegalStateException();
		}

		@Override
		public void goOn(int server) {
			throw new IllegalStateException();
		}

		@Override
		public void kill(int server) {
			throw new IllegalStateException();
		}

		@Override
		public void start(int server) {
			throw new IllegalStateException();
		}

		@Override
		public void close() {
		}

	}

	/**
	 * Three servers of ZooKeeper.
	 *
	 * @param servers the servers
	 */
	record ZooKeeper(ZooKeeperProcesses servers) implements Coordinator {

		private static final Duration TICK = Duration.ofMillis(500);

		private static final int SERVERS = 3;

		@Override
		public List<Integer> ports() {
			return IntStream.range(0, SERVERS).mapToObj(this.servers::port).toList();
		}

		@Override
		public List<String> properties(List<Integer> ports) {
			return List.of("leader.backend=zookeeper", "leader.zookeeper.connect-string=" + addresses(ports),
					"leader.zookeeper.tick-time=" + TICK.toMillis() + "ms");
		}

		@Override
		public int leader() {
			return this.servers.leader();
		}

		@Override
		public void freeze(int server) {
			this.servers.freeze(server);
		}

		@Override
		public void goOn(int server) {
			this.servers.goOn(server);
		}

		@Override
		public void kill(int server) {
			this.servers.kill(server);
		}

		@Override
		public void start(int server) {
			this.servers.heal();
		}

		@Override
		public void close() {
			this.servers.close();
		}

	}

	/**
	 * Three servers of etcd.
	 *
	 * @param servers the servers
	 */
	record Etcd(EtcdCluster servers) implements Coordinator {

		private static final int SERVERS = 3;

		@Override
		public List<Integer> ports() {
			return this.servers.ports();
		}

		@Override
		public List<String> properties(List<Integer> ports) {
			return List.of("leader.backend=etcd", "leader.etcd.endpoints="
					+ ports.stream().map((port) -> "http://127.0.0.1:" + port).collect(Collectors.joining(",")));
		}

		@Override
		public int leader() {
			return this.servers.leader();
		}

		@Override
		public void freeze(int server) {
			this.servers.freeze(server);
		}

		@Override
		public void goOn(int server) {
			this.servers.goOn(server);
		}

		@Override
		public void kill(int server) {
			this.servers.kill(server);
		}

		@Override
		public void start(int server) {
			this.servers.restart(server);
			this.servers.awaitHealthy();
		}

		@Override
		public void close() {
			this.servers.close();
		}

	}

}
