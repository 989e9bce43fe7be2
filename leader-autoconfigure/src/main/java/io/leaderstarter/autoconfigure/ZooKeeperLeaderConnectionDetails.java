package io.leaderstarter.autoconfigure;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.ssl.SslBundle;

/**
 * Details required to connect to the ZooKeeper that keeps leases. A bean of this type is
 * used instead of {@code leader.zookeeper.connect-string}, {@code auth.username},
 * {@code auth.password} and {@code ssl.bundle}: these properties are not read then, not
 * even for what it does not supply.
 *
 * @since 0.1.0
 */
public interface ZooKeeperLeaderConnectionDetails extends ConnectionDetails {

	/**
	 * Return the servers.
	 * @return hosts with ports, separated by commas, optionally followed by a path that
	 * is the root for the election
	 */
	String getConnectString();

	/**
	 * Return the user of the scheme {@code digest} to log in as. Only this user may use
	 * the nodes of the election then.
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
	 * @return the bundle, {@code null} to connect without TLS
	 */
	default @Nullable SslBundle getSslBundle() {
		return null;
	}

}
