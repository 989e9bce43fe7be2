package io.leaderstarter.autoconfigure;

import java.util.List;

import io.leaderstarter.backend.zookeeper.ZooKeeperTls;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslOptions;

/**
 * Converts SSL bundles to what connections to ZooKeeper need.
 */
final class ZooKeeperSslBundle {

	private ZooKeeperSslBundle() {
	}

	/**
	 * Return the keys and certificates of a bundle.
	 * @param bundle the bundle, {@code null} if there is none any more: a connection that
	 * began with TLS goes on with it, and trusts servers as the JVM does
	 */
	static ZooKeeperTls tls(@Nullable SslBundle bundle) {
		if (bundle == null) {
			return new ZooKeeperTls(null, null, null, null, List.of(), List.of());
		}
		String keyPassword = bundle.getKey().getPassword();
		SslOptions options = bundle.getOptions();
		return new ZooKeeperTls(bundle.getStores().getKeyStore(),
				(keyPassword != null) ? keyPassword : bundle.getStores().getKeyStorePassword(),
				bundle.getKey().getAlias(), bundle.getStores().getTrustStore(), list(options.getEnabledProtocols()),
				list(options.getCiphers()));
	}

	private static List<String> list(String @Nullable [] values) {
		return (values != null) ? List.of(values) : List.of();
	}

}
