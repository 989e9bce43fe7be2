package io.leaderstarter.backend.zookeeper;

import java.time.Duration;

import org.apache.zookeeper.common.PathUtils;

/**
 * How leases are kept in ZooKeeper.
 *
 * @param basePath the root of all nodes
 * @param tickTime the tick of the servers: how long one of them may delay the report of a
 * session to the leader of the ensemble
 * @param connectionTimeout how long the start waits for a connection
 * @param creatorOnly whether the nodes are accessible only with the credentials of their
 * creator
 * @since 0.1.0
 */
public record ZooKeeperLeaseProperties(String basePath, Duration tickTime, Duration connectionTimeout,
		boolean creatorOnly) {

	/**
	 * Check the path.
	 * @throws IllegalArgumentException if it is not valid
	 */
	public ZooKeeperLeaseProperties {
		PathUtils.validatePath(basePath);
		if (basePath.equals("/")) {
			throw new IllegalArgumentException("it must name a node below the root, such as /leader");
		}
	}
}
