package io.leaderstarter.autoconfigure;

import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;

/**
 * Where the ZooKeeper is that keeps leases. A bean of this type is used instead of
 * {@code leader.zookeeper.connect-string}.
 *
 * @since 0.1.0
 */
public interface ZooKeeperLeaderConnectionDetails extends ConnectionDetails {

	/**
	 * Returns the servers.
	 * @return hosts with ports, separated by commas, maybe with a path behind that is the
	 * root for us
	 */
	String getConnectString();

}
