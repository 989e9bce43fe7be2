package io.leaderstarter.autoconfigure;

import java.util.List;
import java.util.function.Supplier;

import io.leaderstarter.backend.zookeeper.ZooKeeperTls;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.ssl.SslOptions;

/**
 * Gives the present keys of an SSL bundle to the connections to ZooKeeper. A bundle that
 * is reloaded counts for those that are made from then on.
 */
final class ZooKeeperSslBundle implements Supplier<ZooKeeperTls> {

	private static final String PROPERTY = "leader.zookeeper.ssl.bundle";

	private final NamedSslBundle named;

	private @Nullable SslBundle known;

	private @Nullable ZooKeeperTls tls;

	ZooKeeperSslBundle(SslBundles bundles, String name) {
		this.named = new NamedSslBundle(bundles, PROPERTY, name);
	}

	@Override
	public synchronized ZooKeeperTls get() {
		SslBundle bundle = this.named.get();
		ZooKeeperTls present = this.tls;
		if (present == null || bundle != this.known) {
			present = NamedSslBundle.use(PROPERTY, bundle, ZooKeeperSslBundle::of);
			this.tls = present;
			this.known = bundle;
		}
		return present;
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
