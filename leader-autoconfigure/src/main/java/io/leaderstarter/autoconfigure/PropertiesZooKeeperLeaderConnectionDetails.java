package io.leaderstarter.autoconfigure;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;

/**
 * Adapts {@link LeaderZooKeeperProperties} to {@link ZooKeeperLeaderConnectionDetails}.
 */
final class PropertiesZooKeeperLeaderConnectionDetails implements ZooKeeperLeaderConnectionDetails {

	static final String BUNDLE = "leader.zookeeper.ssl.bundle";

	private final LeaderZooKeeperProperties properties;

	private final @Nullable NamedSslBundle bundle;

	PropertiesZooKeeperLeaderConnectionDetails(LeaderZooKeeperProperties properties,
			ObjectProvider<SslBundles> bundles) {
		this.properties = properties;
		this.bundle = NamedSslBundle.of(bundles, BUNDLE, properties.ssl().bundle());
	}

	@Override
	public String getConnectString() {
		String servers = this.properties.connectString();
		return (servers != null) ? servers : "";
	}

	@Override
	public @Nullable String getUsername() {
		return this.properties.auth().username();
	}

	@Override
	public @Nullable String getPassword() {
		return this.properties.auth().password();
	}

	@Override
	public @Nullable SslBundle getSslBundle() {
		return (this.bundle != null) ? this.bundle.get() : null;
	}

}
