package io.leaderstarter.autoconfigure;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;

/**
 * Adapts {@link LeaderEtcdProperties} to {@link EtcdLeaderConnectionDetails}.
 */
final class PropertiesEtcdLeaderConnectionDetails implements EtcdLeaderConnectionDetails {

	static final String BUNDLE = "leader.etcd.ssl.bundle";

	private final LeaderEtcdProperties properties;

	private final @Nullable NamedSslBundle bundle;

	PropertiesEtcdLeaderConnectionDetails(LeaderEtcdProperties properties, ObjectProvider<SslBundles> bundles) {
		this.properties = properties;
		this.bundle = NamedSslBundle.of(bundles, BUNDLE, properties.ssl().bundle());
	}

	@Override
	public List<String> getEndpoints() {
		return this.properties.endpoints();
	}

	@Override
	public @Nullable String getUsername() {
		return this.properties.username();
	}

	@Override
	public @Nullable String getPassword() {
		return this.properties.password();
	}

	@Override
	public @Nullable SslBundle getSslBundle() {
		return (this.bundle != null) ? this.bundle.get() : null;
	}

}
