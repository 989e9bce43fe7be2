package io.leaderstarter.autoconfigure;

import java.util.List;
import java.util.function.Supplier;

import io.leaderstarter.backend.zookeeper.ZooKeeperTls;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslOptions;

/**
 * Gives the present keys of an SSL bundle to the connections to ZooKeeper. A bundle that
 * is reloaded counts for those that are made from then on. If there is none any more,
 * servers are trusted as the JVM does: who began with TLS does not go on without.
 */
final class ZooKeeperSslBundle implements Supplier<ZooKeeperTls> {

	private static final ZooKeeperTls TRUSTING_AS_THE_JVM = new ZooKeeperTls(null, null, null, null, List.of(),
			List.of());

	private final ZooKeeperLeaderConnectionDetails details;

	private final String source;

	private @Nullable SslBundle known;

	private @Nullable ZooKeeperTls tls;

	/**
	 * Makes the source of keys.
	 * @param details asked each time for the bundle, as it may have been reloaded
	 * @param source what the bundle comes from, as people know it
	 */
	ZooKeeperSslBundle(ZooKeeperLeaderConnectionDetails details, String source) {
		this.details = details;
		this.source = source;
	}

	@Override
	public synchronized ZooKeeperTls get() {
		SslBundle bundle = this.details.getSslBundle();
		ZooKeeperTls present = this.tls;
		if (present == null || bundle != this.known) {
			present = (bundle != null) ? NamedSslBundle.use(this.source, bundle, ZooKeeperSslBundle::of)
					: TRUSTING_AS_THE_JVM;
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
