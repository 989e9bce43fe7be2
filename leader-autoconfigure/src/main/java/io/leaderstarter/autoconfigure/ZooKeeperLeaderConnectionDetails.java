package io.leaderstarter.autoconfigure;

/**
 * Details required to connect to the ZooKeeper that keeps leases. A bean of this type is
 * used instead of {@code leader.zookeeper.connect-string}, {@code auth.username},
 * {@code auth.password} and {@code ssl.bundle}: these properties are not read then, not
 * even for what it does not supply.
 * <p>
 * The user is one of the scheme {@code digest}. Only this user may use the nodes of the
 * election then. Without an SSL bundle connections have no TLS.
 *
 * @since 0.1.0
 */
public interface ZooKeeperLeaderConnectionDetails extends LeaderConnectionDetails {

	/**
	 * Return the servers.
	 * @return hosts with ports, separated by commas, optionally followed by a path that
	 * is the root for the election
	 */
	String getConnectString();

}
