package io.leaderstarter.autoconfigure;

import java.util.List;
import java.util.function.Supplier;

import javax.net.ssl.SSLException;

import io.grpc.netty.GrpcSslContexts;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslOptions;

/**
 * Gives the present keys of an SSL bundle to the connections to etcd. A bundle that is
 * reloaded counts for those that are made from then on. Without a bundle etcd is trusted
 * as the JVM does.
 */
final class EtcdSslBundle implements Supplier<SslContext> {

	private final EtcdLeaderConnectionDetails details;

	private final String source;

	private @Nullable SslBundle known;

	private @Nullable SslContext context;

	/**
	 * Makes the source of keys.
	 * @param details asked each time for the bundle, as it may have been reloaded
	 * @param source what the bundle comes from, as people know it
	 */
	EtcdSslBundle(EtcdLeaderConnectionDetails details, String source) {
		this.details = details;
		this.source = source;
	}

	@Override
	public synchronized SslContext get() {
		SslBundle bundle = this.details.getSslBundle();
		SslContext present = this.context;
		if (present == null || bundle != this.known) {
			present = (bundle != null) ? NamedSslBundle.use(this.source, bundle, EtcdSslBundle::of) : of(null);
			this.context = present;
			this.known = bundle;
		}
		return present;
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
