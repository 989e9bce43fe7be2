package io.leaderstarter.backend.zookeeper;

import java.time.Duration;

import org.apache.zookeeper.common.PathUtils;

/**
 * How leases are kept in ZooKeeper.
 *
 * @param basePath the node that everything is kept below
 * @param tickTime the tick of the servers: how late one of them may tell the others of us
 * @param connectionTimeout how long the start waits for a connection
 * @param creatorOnly whether the nodes are only for those who log in as their creator did
 * @since 0.1.0
 */
public record ZooKeeperLeaseProperties(String basePath, Duration tickTime, Duration connectionTimeout,
		boolean creatorOnly) {

	/**
	 * Checks the path.
	 * @throws IllegalArgumentException if it is none that a node can have
	 */
	public ZooKeeperLeaseProperties {
		PathUtils.validatePath(basePath);
		if (basePath.equals("/")) {
			throw new IllegalArgumentException("it must name a node below the root, such as /leader");
		}
	}
}
