package io.leaderstarter.autoconfigure;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.ssl.SslBundle;

/**
 * Where the etcd is that keeps leases. A bean of this type is used instead of
 * {@code leader.etcd.endpoints}.
 *
 * @since 0.1.0
 */
public interface EtcdLeaderConnectionDetails extends ConnectionDetails {

	/**
	 * Returns the servers of one cluster.
	 * @return addresses such as {@code http://host:2379}
	 */
	List<String> getEndpoints();

	/**
	 * Returns whom to trust, and who we are.
	 * @return the bundle, {@code null} for that of {@code leader.etcd.ssl.bundle}
	 */
	default @Nullable SslBundle getSslBundle() {
		return null;
	}

}
