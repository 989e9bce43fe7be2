package io.leaderstarter.autoconfigure;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.ssl.SslBundle;

/**
 * Details required to connect to any store of leases that is no database: as whom, and
 * how the connection is secured.
 *
 * @since 0.1.0
 */
public interface LeaderConnectionDetails extends ConnectionDetails {

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
	 * @return the bundle, {@code null} for none
	 */
	default @Nullable SslBundle getSslBundle() {
		return null;
	}

}
