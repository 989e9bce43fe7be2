package io.leaderstarter.autoconfigure;

import java.time.Duration;
import java.util.List;

import io.leaderstarter.backend.etcd.EtcdLeaseProperties;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Configuration properties for leases in etcd.
 *
 * @param endpoints Servers of one cluster, such as http://host:2379. Defaults to those of
 * a Client bean of jetcd.
 * @param keyPrefix Prefix of all keys, without a slash at its end.
 * @param username User of etcd. Defaults to none, so that the election does not log in.
 * @param password Password of the user. Defaults to none.
 * @param ssl Properties of TLS.
 * @since 0.1.0
 */
@ConfigurationProperties("leader.etcd")
public record LeaderEtcdProperties(@DefaultValue List<String> endpoints, @DefaultValue("/leader") String keyPrefix,
		@Nullable String username, @Nullable String password, @DefaultValue Ssl ssl) {

	/** Each of several endpoints has a share of it. */
	private static final Duration CONNECTION_TIMEOUT = Duration.ofSeconds(20);

	EtcdLeaseProperties toLeaseProperties() {
		return PropertyCheck.usable("leader.etcd.key-prefix",
				() -> new EtcdLeaseProperties(this.keyPrefix, CONNECTION_TIMEOUT));
	}

	/** Leave the password out. */
	@Override
	public String toString() {
		return "LeaderEtcdProperties" + this.endpoints;
	}

	/**
	 * Properties of TLS.
	 *
	 * @param bundle Name of the SSL bundle with trusted certificates and, if etcd
	 * requests one, the certificate of the application. Defaults to the trusted
	 * certificates of the JVM for https endpoints.
	 */
	public record Ssl(@Nullable String bundle) {
	}

}
