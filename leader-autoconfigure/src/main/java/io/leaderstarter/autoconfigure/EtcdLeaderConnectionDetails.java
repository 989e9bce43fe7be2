package io.leaderstarter.autoconfigure;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.ssl.SslBundle;

/**
 * Details required to connect to the etcd that keeps leases. A bean of this type is used
 * instead of {@code leader.etcd.endpoints}, {@code username}, {@code password} and
 * {@code ssl.bundle}: these properties are not read then, not even for what it does not
 * supply.
 *
 * @since 0.1.0
 */
public interface EtcdLeaderConnectionDetails extends ConnectionDetails {

	/**
	 * Return the servers of one cluster.
	 * @return addresses such as {@code http://host:2379}
	 */
	List<String> getEndpoints();

	/**
	 * Return the user to log in as.
	 * @return the user, {@code null} or blank not to log in
	 */
	default @Nullable String getUsername() {
		return null;
	}

	/**
	 * Return the password of the user.
	 * @return the password, {@code null} or blank if there is no user
	 */
	default @Nullable String getPassword() {
		return null;
	}

	/**
	 * Return the SSL bundle to use. It is read for each new connection, so a bundle that
	 * is reloaded is used by new ones. Return the same instance as long as nothing has
	 * changed.
	 * @return the bundle, {@code null} to trust {@code https} endpoints as the JVM does
	 */
	default @Nullable SslBundle getSslBundle() {
		return null;
	}

}
