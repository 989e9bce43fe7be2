package io.leaderstarter.backend.etcd;

import java.util.List;
import java.util.function.Supplier;

import io.netty.handler.ssl.SslContext;
import org.jspecify.annotations.Nullable;

/**
 * The servers of etcd, and the user of this application.
 *
 * @param endpoints servers of one cluster, each as {@code host:port}. One of them is used
 * at a time.
 * @param username the user, {@code null} if there is none
 * @param password password of the user, {@code null} if there is none
 * @param ssl supplies the TLS settings of each connection, {@code null} for connections
 * without TLS. Must return the same instance unless the settings have changed.
 * @since 0.1.0
 */
public record EtcdConnection(List<String> endpoints, @Nullable String username, @Nullable String password,
		@Nullable Supplier<SslContext> ssl) {

	/**
	 * Check that there is a server.
	 * @throws IllegalArgumentException if there is none
	 */
	public EtcdConnection {
		if (endpoints.isEmpty()) {
			throw new IllegalArgumentException("there must be an endpoint");
		}
		endpoints = List.copyOf(endpoints);
	}

	/** Omit the password. */
	@Override
	public String toString() {
		return "EtcdConnection" + this.endpoints;
	}

}
