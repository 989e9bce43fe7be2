package io.leaderstarter.backend.zookeeper;

import java.security.KeyStore;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What a connection needs that is protected by TLS.
 *
 * @param keyStore key and certificate that the servers know us by, {@code null} if we
 * have none
 * @param keyPassword password of the key, {@code null} if there is none
 * @param keyAlias which key of the store it is, {@code null} for any
 * @param trustStore who may vouch for the servers, {@code null} for those whom the JDK
 * trusts
 * @param protocols versions of TLS that may be used, empty for those of the client
 * @param ciphers cipher suites that may be used, empty for those of the client
 * @since 0.1.0
 */
public record ZooKeeperTls(@Nullable KeyStore keyStore, @Nullable String keyPassword, @Nullable String keyAlias,
		@Nullable KeyStore trustStore, List<String> protocols, List<String> ciphers) {

	/** Leaves the password out. */
	@Override
	public String toString() {
		return "ZooKeeperTls[" + ((this.keyStore != null) ? "with" : "without") + " a key]";
	}

}
