package io.leaderstarter.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.leaderstarter.backend.etcd.EtcdLeaseProperties;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Configuration properties for leases in etcd.
 *
 * @since 0.1.0
 */
@ConfigurationProperties("leader.etcd")
public class LeaderEtcdProperties {

	/**
	 * How long the start waits for etcd. Each of several endpoints has a share of it. A
	 * field for tests, and no property.
	 */
	Duration connectionTimeout = Duration.ofSeconds(20);

	/**
	 * Servers of one cluster, such as http://host:2379. Defaults to those of a Client
	 * bean of jetcd.
	 */
	private List<String> endpoints = new ArrayList<>();

	/**
	 * Prefix of all keys, without a slash at its end.
	 */
	private String keyPrefix = "/leader";

	/**
	 * User of etcd. Defaults to none, so that the election does not log in.
	 */
	private @Nullable String username;

	/**
	 * Password of the user. Defaults to none.
	 */
	private @Nullable String password;

	private final Ssl ssl = new Ssl();

	public List<String> getEndpoints() {
		return this.endpoints;
	}

	public void setEndpoints(List<String> endpoints) {
		this.endpoints = endpoints;
	}

	public String getKeyPrefix() {
		return this.keyPrefix;
	}

	public void setKeyPrefix(String keyPrefix) {
		this.keyPrefix = keyPrefix;
	}

	public @Nullable String getUsername() {
		return this.username;
	}

	public void setUsername(@Nullable String username) {
		this.username = PropertyCheck.text(username);
	}

	public @Nullable String getPassword() {
		return this.password;
	}

	public void setPassword(@Nullable String password) {
		this.password = PropertyCheck.text(password);
	}

	public Ssl getSsl() {
		return this.ssl;
	}

	EtcdLeaseProperties toLeaseProperties() {
		return PropertyCheck.usable("leader.etcd.key-prefix",
				() -> new EtcdLeaseProperties(this.keyPrefix, this.connectionTimeout));
	}

	/**
	 * Properties of TLS.
	 */
	public static class Ssl {

		/**
		 * Name of the SSL bundle with trusted certificates and, if etcd requests one, the
		 * certificate of the application. Defaults to the trusted certificates of the JVM
		 * for https endpoints.
		 */
		private @Nullable String bundle;

		public @Nullable String getBundle() {
			return this.bundle;
		}

		public void setBundle(@Nullable String bundle) {
			this.bundle = PropertyCheck.text(bundle);
		}

	}

}
