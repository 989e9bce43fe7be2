package io.leaderstarter.autoconfigure;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The servers of etcd, parsed from what is configured.
 *
 * @param addresses each as {@code host:port}
 * @param secure whether they speak TLS
 */
record EtcdEndpoints(List<String> addresses, boolean secure) {

	private static final int DEFAULT_PORT = 2379;

	/**
	 * Parse endpoints. Without a scheme they speak TLS if there is an SSL bundle.
	 * @param bundle the property or method that supplies the bundle, {@code null} if
	 * there is none
	 * @throws IllegalArgumentException if one cannot be parsed, or only some speak TLS
	 */
	static EtcdEndpoints of(List<String> endpoints, @Nullable String bundle) {
		List<String> addresses = new ArrayList<>();
		Boolean secure = null;
		for (String endpoint : endpoints) {
			URI uri = parse(endpoint.strip());
			boolean tls = (uri.getScheme() != null) ? uri.getScheme().equals("https") : bundle != null;
			if (secure != null && secure != tls) {
				throw new IllegalArgumentException("some speak TLS and some do not: " + endpoints);
			}
			if (bundle != null && !tls) {
				throw new IllegalArgumentException(
						"%s is set, but '%s' does not speak TLS".formatted(bundle, endpoint));
			}
			secure = tls;
			addresses.add(uri.getHost() + ":" + ((uri.getPort() != -1) ? uri.getPort() : DEFAULT_PORT));
		}
		return new EtcdEndpoints(addresses, Boolean.TRUE.equals(secure));
	}

	private static URI parse(String endpoint) {
		try {
			URI uri = new URI(endpoint.contains("://") ? endpoint : "//" + endpoint);
			boolean known = uri.getScheme() == null || uri.getScheme().matches("https?");
			if (known && uri.getHost() != null && (uri.getPath().isEmpty() || uri.getPath().equals("/"))) {
				return uri;
			}
		}
		catch (URISyntaxException ex) {
			// The message below shows a valid one.
		}
		throw new IllegalArgumentException("'%s' is no address such as http://host:2379".formatted(endpoint));
	}

}
