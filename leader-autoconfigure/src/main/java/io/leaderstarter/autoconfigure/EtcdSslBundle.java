package io.leaderstarter.autoconfigure;

import java.util.List;
import java.util.function.Supplier;

import javax.net.ssl.SSLException;

import io.grpc.netty.GrpcSslContexts;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ssl.DefaultSslBundleRegistry;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.ssl.SslOptions;

/**
 * Gives the present keys of an SSL bundle to the connections to etcd. A bundle that is
 * reloaded counts for those that are made from then on. Without a bundle etcd is trusted
 * as the JVM does.
 */
final class EtcdSslBundle implements Supplier<SslContext> {

	static final String PROPERTY = "leader.etcd.ssl.bundle";

	private final @Nullable EtcdLeaderConnectionDetails details;

	private final @Nullable NamedSslBundle named;

	private @Nullable SslBundle known;

	private @Nullable SslContext context;

	/**
	 * Makes the source of keys.
	 * @param details asked first, {@code null} if there are none
	 * @param name name of the bundle if these have none, {@code null} for no bundle
	 * @param bundles all bundles
	 */
	EtcdSslBundle(@Nullable EtcdLeaderConnectionDetails details, @Nullable String name,
			ObjectProvider<SslBundles> bundles) {
		this.details = details;
		this.named = (name != null)
				? new NamedSslBundle(bundles.getIfAvailable(DefaultSslBundleRegistry::new), PROPERTY, name) : null;
	}

	boolean isPresent() {
		return bundle() != null;
	}

	@Override
	public synchronized SslContext get() {
		SslBundle bundle = bundle();
		SslContext present = this.context;
		if (present == null || bundle != this.known) {
			present = (bundle != null) ? NamedSslBundle.use(PROPERTY, bundle, EtcdSslBundle::of) : of(null);
			this.context = present;
			this.known = bundle;
		}
		return present;
	}

	private @Nullable SslBundle bundle() {
		SslBundle own = (this.details != null) ? this.details.getSslBundle() : null;
		return (own != null || this.named == null) ? own : this.named.get();
	}

	private static SslContext of(@Nullable SslBundle bundle) {
		try {
			SslContextBuilder builder = GrpcSslContexts.configure(SslContextBuilder.forClient());
			if (bundle != null) {
				SslOptions options = bundle.getOptions();
				builder.keyManager(bundle.getManagers().getKeyManagerFactory())
					.trustManager(bundle.getManagers().getTrustManagerFactory());
				if (options.getCiphers() != null) {
					builder.ciphers(List.of(options.getCiphers()));
				}
				if (options.getEnabledProtocols() != null) {
					builder.protocols(options.getEnabledProtocols());
				}
			}
			return builder.build();
		}
		catch (SSLException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
