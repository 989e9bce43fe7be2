package io.leaderstarter.backend.etcd;

import java.util.List;
import java.util.function.Supplier;

import io.netty.handler.ssl.SslContext;
import org.jspecify.annotations.Nullable;

/**
 * Where etcd is, and who we are there.
 *
 * @param endpoints servers of one cluster, each as {@code host:port}. One of them is used
 * at a time.
 * @param username the user, {@code null} for nobody
 * @param password password of the user, {@code null} if there is none
 * @param ssl asked for each connection how to speak TLS, {@code null} not to. It gives
 * the same instance again if nothing has changed.
 * @since 0.1.0
 */
public record EtcdConnection(List<String> endpoints, @Nullable String username, @Nullable String password,
		@Nullable Supplier<SslContext> ssl) {

	/**
	 * Checks that there is a server.
	 * @throws IllegalArgumentException if there is none
	 */
	public EtcdConnection {
		if (endpoints.isEmpty()) {
			throw new IllegalArgumentException("there must be an endpoint");
		}
		endpoints = List.copyOf(endpoints);
	}

	/** Leaves the password out. */
	@Override
	public String toString() {
		return "EtcdConnection" + this.endpoints;
	}

}
