package io.leaderstarter.autoconfigure;

import java.util.List;
import java.util.function.Supplier;

import io.leaderstarter.backend.zookeeper.ZooKeeperConnection;
import io.leaderstarter.backend.zookeeper.ZooKeeperLeaseProperties;
import io.leaderstarter.backend.zookeeper.ZooKeeperLeaseStoreFactory;
import io.leaderstarter.backend.zookeeper.ZooKeeperTls;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.ssl.DefaultSslBundleRegistry;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.util.function.SingletonSupplier;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for leases in ZooKeeper.
 *
 * @since 0.1.0
 */
@AutoConfiguration(before = LeaderAutoConfiguration.class,
		afterName = "org.springframework.cloud.zookeeper.ZookeeperAutoConfiguration")
@ConditionalOnClass({ CuratorFramework.class, ZooKeeper.class })
@Conditional(ZooKeeperLeaderAutoConfiguration.OnAnyZooKeeper.class)
@EnableConfigurationProperties(LeaderZooKeeperProperties.class)
public final class ZooKeeperLeaderAutoConfiguration {

	/**
	 * What was said for the election alone is preferred to a client that may be shared.
	 */
	@Bean
	@ConditionalOnMissingBean
	ZooKeeperLeaseStoreFactory zooKeeperLeaseStoreFactory(LeaderZooKeeperProperties properties,
			ObjectProvider<ZooKeeperLeaderConnectionDetails> details, ObjectProvider<CuratorFramework> client,
			ObjectProvider<SslBundles> bundles) {
		return ZooKeeperLeaseStoreFactory
			.deferred(SingletonSupplier.of(() -> settled(properties, details, client, bundles)));
	}

	private static ZooKeeperLeaseStoreFactory settled(LeaderZooKeeperProperties properties,
			ObjectProvider<ZooKeeperLeaderConnectionDetails> details, ObjectProvider<CuratorFramework> client,
			ObjectProvider<SslBundles> bundles) {
		ZooKeeperLeaseProperties lease = properties.toLeaseProperties();
		ZooKeeperLeaderConnectionDetails special = details.getIfAvailable();
		String servers = (special != null) ? special.getConnectString() : properties.getConnectString();
		if (servers != null && !servers.isBlank()) {
			Supplier<ZooKeeperTls> tls = tls(properties, bundles);
			return ZooKeeperLeaseStoreFactory.connecting(PropertyCheck.usable("leader.zookeeper.connect-string",
					() -> new ZooKeeperConnection(servers, properties.digest(), tls)), lease);
		}
		String bean = "a CuratorFramework bean";
		PropertyCheck.unused("leader.zookeeper.ssl.bundle", properties.getSsl().getBundle(), bean,
				"Set leader.zookeeper.connect-string.",
				"Give the CuratorFramework bean a ZKClientConfig for TLS, and remove leader.zookeeper.ssl.bundle.");
		PropertyCheck.unused("leader.zookeeper.auth.username", properties.getAuth().getUsername(), bean,
				"Set leader.zookeeper.connect-string.",
				"Let the CuratorFramework bean log in, and set leader.zookeeper.auth.creator-only=true instead of username and password.");
		return ZooKeeperLeaseStoreFactory.using(only(client), lease);
	}

	private static CuratorFramework only(ObjectProvider<CuratorFramework> client) {
		CuratorFramework only = client.getIfUnique();
		if (only != null) {
			return only;
		}
		if (client.stream().findAny().isEmpty()) {
			throw new LeaderConfigurationException("Nothing says where the ZooKeeper is that keeps leases",
					List.of("Set leader.zookeeper.connect-string.", "Add a CuratorFramework bean.",
							"Let the ZooKeeperLeaderConnectionDetails bean name a server, if there is one."));
		}
		throw new LeaderConfigurationException("There are several CuratorFramework beans, and none is primary",
				List.of("Mark one of them @Primary.", "Set leader.zookeeper.connect-string."));
	}

	private static @Nullable Supplier<ZooKeeperTls> tls(LeaderZooKeeperProperties properties,
			ObjectProvider<SslBundles> bundles) {
		String name = properties.getSsl().getBundle();
		if (name == null) {
			return null;
		}
		ZooKeeperSslBundle bundle = new ZooKeeperSslBundle(bundles.getIfAvailable(DefaultSslBundleRegistry::new), name);
		// Once here, so that one that is not there stops the start.
		bundle.get();
		return bundle;
	}

	/** Matches if there is a ZooKeeper that could be meant. */
	static final class OnAnyZooKeeper extends AnyNestedCondition {

		OnAnyZooKeeper() {
			super(ConfigurationPhase.REGISTER_BEAN);
		}

		@Conditional(OnConnectString.class)
		static final class ByProperty {

		}

		@ConditionalOnBean(ZooKeeperLeaderConnectionDetails.class)
		static final class ByDetails {

		}

		@ConditionalOnBean(CuratorFramework.class)
		static final class ByClient {

		}

	}

	static final class OnConnectString extends OnServers {

		OnConnectString() {
			super("leader.zookeeper.connect-string");
		}

	}

}
