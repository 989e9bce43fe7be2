package io.leaderstarter.backend.zookeeper;

import java.security.KeyStore;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The TLS settings of a connection.
 *
 * @param keyStore key and certificate of this application, {@code null} if there is none
 * @param keyPassword password of the key, {@code null} if there is none
 * @param keyAlias alias of the key, {@code null} for any
 * @param trustStore the trusted authorities, {@code null} for those of the JDK
 * @param protocols versions of TLS that may be used, empty for those of the client
 * @param ciphers cipher suites that may be used, empty for those of the client
 * @since 0.1.0
 */
public record ZooKeeperTls(@Nullable KeyStore keyStore, @Nullable String keyPassword, @Nullable String keyAlias,
		@Nullable KeyStore trustStore, List<String> protocols, List<String> ciphers) {

	/** Omit the password. */
	@Override
	public String toString() {
		return "ZooKeeperTls[" + ((this.keyStore != null) ? "with" : "without") + " a key]";
	}

}
