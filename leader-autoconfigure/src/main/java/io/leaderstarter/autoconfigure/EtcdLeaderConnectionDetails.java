package io.leaderstarter.autoconfigure;

import java.util.List;

/**
 * Details required to connect to the etcd that keeps leases. A bean of this type is used
 * instead of {@code leader.etcd.endpoints}, {@code username}, {@code password} and
 * {@code ssl.bundle}: these properties are not read then, not even for what it does not
 * supply.
 * <p>
 * Without an SSL bundle {@code https} endpoints are trusted as the JVM does.
 *
 * @since 0.1.0
 */
public interface EtcdLeaderConnectionDetails extends LeaderConnectionDetails {

	/**
	 * Return the servers of one cluster.
	 * @return addresses such as {@code http://host:2379}
	 */
	List<String> getEndpoints();

}
