package io.leaderstarter.autoconfigure;

import java.util.List;

import javax.net.ssl.SSLException;

import io.grpc.netty.GrpcSslContexts;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslOptions;

/**
 * Converts SSL bundles to what connections to etcd need.
 */
final class EtcdSslBundle {

	private EtcdSslBundle() {
	}

	/**
	 * Create the context of connections.
	 * @param bundle the bundle, {@code null} to trust servers as the JVM does
	 */
	static SslContext context(@Nullable SslBundle bundle) {
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
