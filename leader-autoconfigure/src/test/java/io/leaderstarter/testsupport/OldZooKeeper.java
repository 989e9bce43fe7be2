package io.leaderstarter.testsupport;

import java.util.List;

/**
 * A ZooKeeper server of an old version, in a process of its own.
 */
public final class OldZooKeeper implements AutoCloseable {

	private final ZooKeeperProcess process;

	private OldZooKeeper(String classPath) {
		int port = ZooKeeperProcesses.freePorts(1).get(0);
		this.process = new ZooKeeperProcess(1, port,
				List.of("tickTime=" + ZooKeeperEnsemble.TICK.toMillis(), "minSessionTimeout=500",
						"maxSessionTimeout=60000", "admin.enableServer=false", "clientPort=" + port,
						"clientPortAddress=127.0.0.1"),
				classPath);
		this.process.start();
		this.process.awaitStatus("Mode: ");
	}

	/** Starts one that elections cannot be held on. */
	public static OldZooKeeper unusable() {
		return new OldZooKeeper(System.getProperty("test.zookeeper.unusable"));
	}

	/** Starts the earliest that elections can be held on. */
	public static OldZooKeeper earliest() {
		return new OldZooKeeper(System.getProperty("test.zookeeper.earliest"));
	}

	/** Where clients go. */
	public String connectString() {
		return "127.0.0.1:" + this.process.port();
	}

	/** What it has logged so far. */
	public String log() {
		return this.process.log();
	}

	@Override
	public void close() {
		this.process.close();
	}

}
