package io.leaderstarter.sample.demo.server;

import java.nio.file.Path;

/**
 * The servers that there are.
 */
public enum ServerKind {

	/** H2, in memory. */
	H2("H2", H2Server.class),

	/** PostgreSQL. */
	POSTGRES("PostgreSQL", PostgresServer.class),

	/** MariaDB. */
	MARIADB("MariaDB", MariaDbServer.class),

	/** ZooKeeper. */
	ZOOKEEPER("ZooKeeper", ZooKeeperServer.class),

	/** etcd. */
	ETCD("etcd", EtcdServer.class);

	private final String title;

	private final Class<?> main;

	ServerKind(String title, Class<?> main) {
		this.title = title;
		this.main = main;
	}

	/**
	 * Returns what people call it.
	 * @return its name
	 */
	public String title() {
		return this.title;
	}

	/** Where its process puts what goes with it. */
	Path temporary(ServerFolders folders) {
		// PostgreSQL runs as another user if this one is root, and must not need its
		// folders. It cleans up by itself.
		return (this == POSTGRES) ? Path.of(System.getProperty("java.io.tmpdir")) : folders.temporary();
	}

	String main() {
		return this.main.getName();
	}

}
