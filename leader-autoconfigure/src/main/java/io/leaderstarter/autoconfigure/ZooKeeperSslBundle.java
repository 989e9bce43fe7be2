package io.leaderstarter.autoconfigure;

import java.util.List;
import java.util.function.Supplier;

import io.leaderstarter.backend.zookeeper.ZooKeeperTls;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.ssl.SslOptions;

/**
 * Gives the present keys of an SSL bundle to the connections to ZooKeeper. A bundle that
 * is reloaded counts for those that are made from then on.
 */
final class ZooKeeperSslBundle implements Supplier<ZooKeeperTls> {

	private final SslBundles bundles;

	private final String name;

	private @Nullable SslBundle known;

	private @Nullable ZooKeeperTls tls;

	ZooKeeperSslBundle(SslBundles bundles, String name) {
		this.bundles = bundles;
		this.name = name;
	}

	@Override
	public synchronized ZooKeeperTls get() {
		SslBundle bundle = bundle();
		ZooKeeperTls present = this.tls;
		if (present == null || bundle != this.known) {
			present = of(bundle);
			this.tls = present;
			this.known = bundle;
		}
		return present;
	}

	private SslBundle bundle() {
		try {
			return this.bundles.getBundle(this.name);
		}
		catch (NoSuchSslBundleException ex) {
			throw new LeaderConfigurationException(
					"leader.zookeeper.ssl.bundle is '%s', but there is no such SSL bundle".formatted(this.name),
					List.of("Set spring.ssl.bundle.pem.%s or spring.ssl.bundle.jks.%s.".formatted(this.name, this.name),
							"Name another bundle. There are: %s.".formatted(this.bundles.getBundleNames())));
		}
	}

	private static ZooKeeperTls of(SslBundle bundle) {
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
