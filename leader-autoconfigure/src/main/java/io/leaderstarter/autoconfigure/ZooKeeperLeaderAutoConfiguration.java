package io.leaderstarter.autoconfigure;

import java.util.List;
import java.util.function.Supplier;

import org.springframework.boot.ssl.SslOptions;
import org.springframework.boot.ssl.SslBundle;
import org.jspecify.annotations.Nullable;
import io.leaderstarter.backend.zookeeper.ZooKeeperConnection;
import io.leaderstarter.backend.zookeeper.ZooKeeperLeaseProperties;
import io.leaderstarter.backend.zookeeper.ZooKeeperLeaseStoreFactory;
import io.leaderstarter.backend.zookeeper.ZooKeeperTls;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.ZooKeeper;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.util.StringUtils;
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

	private static final String BUNDLE = "leader.zookeeper.ssl.bundle";

	@Bean
	@Conditional(OnConnectString.class)
	@ConditionalOnMissingBean(ZooKeeperLeaderConnectionDetails.class)
	FromProperties zooKeeperLeaderConnectionDetails(LeaderZooKeeperProperties properties,
			ObjectProvider<SslBundles> bundles) {
		return new FromProperties(properties, NamedSslBundle.of(bundles, BUNDLE, properties.ssl().bundle()));
	}

	/**
	 * Connection details of the election are preferred to a client that may be shared.
	 */
	@Bean
	@ConditionalOnMissingBean
	ZooKeeperLeaseStoreFactory zooKeeperLeaseStoreFactory(LeaderZooKeeperProperties properties,
			ObjectProvider<ZooKeeperLeaseProperties> settings, ObjectProvider<ZooKeeperLeaderConnectionDetails> details,
			ObjectProvider<CuratorFramework> client) {
		return ZooKeeperLeaseStoreFactory
			.deferred(SingletonSupplier.of(() -> create(properties, settings, details, client)));
	}

	private static ZooKeeperLeaseStoreFactory create(LeaderZooKeeperProperties properties,
			ObjectProvider<ZooKeeperLeaseProperties> settings, ObjectProvider<ZooKeeperLeaderConnectionDetails> details,
			ObjectProvider<CuratorFramework> client) {
		ZooKeeperLeaderConnectionDetails dedicated = details.getIfAvailable();
		if (dedicated != null && StringUtils.hasText(dedicated.getConnectString())) {
			ZooKeeperConnection connection = connection(dedicated);
			return ZooKeeperLeaseStoreFactory.connecting(connection,
					settings.getIfAvailable(() -> properties.toLeaseProperties(connection.digest() != null)));
		}
		String bean = "a CuratorFramework bean";
		String advice = "Let the CuratorFramework bean log in, and set leader.zookeeper.auth.creator-only=true instead of username and password.";
		PropertyCheck.unused(BUNDLE, properties.ssl().bundle(), bean, "Set leader.zookeeper.connect-string.",
				"Give the CuratorFramework bean a ZKClientConfig for TLS, and remove leader.zookeeper.ssl.bundle.");
		PropertyCheck.unused("leader.zookeeper.auth.username", properties.auth().username(), bean,
				"Set leader.zookeeper.connect-string.", advice);
		PropertyCheck.unused("leader.zookeeper.auth.password", properties.auth().password(), bean,
				"Set leader.zookeeper.connect-string.", advice);
		return ZooKeeperLeaseStoreFactory.using(
				PropertyCheck.client(client, "zookeeper", "CuratorFramework", "leader.zookeeper.connect-string",
						ZooKeeperLeaderConnectionDetails.class),
				settings.getIfAvailable(() -> properties.toLeaseProperties(false)));
	}

	/**
	 * Mistakes are reported by the names of properties, or of methods of a bean.
	 */
	private static ZooKeeperConnection connection(ZooKeeperLeaderConnectionDetails details) {
		boolean byProperties = details instanceof FromProperties;
		String username = PropertyCheck.text(details.getUsername());
		String password = PropertyCheck.text(details.getPassword());
		PropertyCheck.bothOrNone(byProperties ? "leader.zookeeper.auth" : "ZooKeeperLeaderConnectionDetails", username,
				password,
				byProperties ? "Set both leader.zookeeper.auth.username and leader.zookeeper.auth.password, or none."
						: "Let ZooKeeperLeaderConnectionDetails return both, or none.");
		String digest = (username != null) ? username + ":" + password : null;
		String bundle = byProperties ? BUNDLE : "ZooKeeperLeaderConnectionDetails.getSslBundle()";
		Supplier<ZooKeeperTls> tls = (details.getSslBundle() != null)
				? NamedSslBundle.reloading(bundle, details::getSslBundle, ZooKeeperLeaderAutoConfiguration::tls) : null;
		return PropertyCheck.usable(
				byProperties ? "leader.zookeeper.connect-string"
						: "ZooKeeperLeaderConnectionDetails.getConnectString()",
				() -> new ZooKeeperConnection(details.getConnectString(), digest, tls));
	}

	/**
	 * Return the keys and certificates of a bundle.
	 * @param bundle the bundle, {@code null} if there is none any more: a connection that
	 * began with TLS goes on with it, and trusts servers as the JVM does
	 */
	static ZooKeeperTls tls(@Nullable SslBundle bundle) {
		if (bundle == null) {
			return new ZooKeeperTls(null, null, null, null, List.of(), List.of());
		}
		String keyPassword = bundle.getKey().getPassword();
		SslOptions options = bundle.getOptions();
		return new ZooKeeperTls(bundle.getStores().getKeyStore(),
				(keyPassword != null) ? keyPassword : bundle.getStores().getKeyStorePassword(),
				bundle.getKey().getAlias(), bundle.getStores().getTrustStore(), list(options.getEnabledProtocols()),
				list(options.getCiphers()));
	}

	private static List<String> list(String @Nullable [] values) {
		return (values != null) ? List.of(values) : List.of();
	}

	/**
	 * Adapts {@link LeaderZooKeeperProperties} to
	 * {@link ZooKeeperLeaderConnectionDetails}.
	 */
	record FromProperties(LeaderZooKeeperProperties properties,
			@Nullable NamedSslBundle bundle) implements ZooKeeperLeaderConnectionDetails {

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

	/** Matches if servers or a client of ZooKeeper are configured. */
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
