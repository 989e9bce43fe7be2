package io.leaderstarter.autoconfigure;

import java.util.List;

import javax.net.ssl.SSLException;

import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslContext;
import io.grpc.netty.GrpcSslContexts;
import org.springframework.boot.ssl.SslOptions;
import org.springframework.boot.ssl.SslBundle;
import org.jspecify.annotations.Nullable;
import io.etcd.jetcd.Client;
import io.leaderstarter.backend.etcd.EtcdConnection;
import io.leaderstarter.backend.etcd.EtcdLeaseProperties;
import io.leaderstarter.backend.etcd.EtcdLeaseStoreFactory;
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
 * {@link EnableAutoConfiguration Auto-configuration} for leases in etcd.
 *
 * @since 0.1.0
 */
@AutoConfiguration(before = LeaderAutoConfiguration.class)
@ConditionalOnClass(Client.class)
@Conditional(EtcdLeaderAutoConfiguration.OnAnyEtcd.class)
@EnableConfigurationProperties(LeaderEtcdProperties.class)
public final class EtcdLeaderAutoConfiguration {

	private static final String BUNDLE = "leader.etcd.ssl.bundle";

	@Bean
	@Conditional(OnEndpoints.class)
	@ConditionalOnMissingBean(EtcdLeaderConnectionDetails.class)
	FromProperties etcdLeaderConnectionDetails(LeaderEtcdProperties properties, ObjectProvider<SslBundles> bundles) {
		return new FromProperties(properties, NamedSslBundle.of(bundles, BUNDLE, properties.ssl().bundle()));
	}

	/**
	 * Connection details of the election are preferred to a client that may be shared.
	 */
	@Bean
	@ConditionalOnMissingBean
	EtcdLeaseStoreFactory etcdLeaseStoreFactory(LeaderEtcdProperties properties,
			ObjectProvider<EtcdLeaseProperties> settings, ObjectProvider<EtcdLeaderConnectionDetails> details,
			ObjectProvider<Client> client) {
		return EtcdLeaseStoreFactory
			.deferred(SingletonSupplier.of(() -> create(properties, settings, details, client)));
	}

	private static EtcdLeaseStoreFactory create(LeaderEtcdProperties properties,
			ObjectProvider<EtcdLeaseProperties> settings, ObjectProvider<EtcdLeaderConnectionDetails> details,
			ObjectProvider<Client> client) {
		EtcdLeaseProperties lease = settings.getIfAvailable(properties::toLeaseProperties);
		EtcdLeaderConnectionDetails dedicated = details.getIfAvailable();
		if (dedicated != null && !servers(dedicated).isEmpty()) {
			return EtcdLeaseStoreFactory.connecting(connection(dedicated), lease);
		}
		String bean = "a Client bean";
		String advice = "Give the Client bean its user, and remove leader.etcd.username and leader.etcd.password.";
		PropertyCheck.unused(BUNDLE, properties.ssl().bundle(), bean, "Set leader.etcd.endpoints.",
				"Give the Client bean an SslContext, and remove leader.etcd.ssl.bundle.");
		PropertyCheck.unused("leader.etcd.username", properties.username(), bean, "Set leader.etcd.endpoints.", advice);
		PropertyCheck.unused("leader.etcd.password", properties.password(), bean, "Set leader.etcd.endpoints.", advice);
		return EtcdLeaseStoreFactory.using(PropertyCheck.client(client, "etcd", "Client (jetcd)",
				"leader.etcd.endpoints", EtcdLeaderConnectionDetails.class), lease);
	}

	private static List<String> servers(EtcdLeaderConnectionDetails details) {
		return details.getEndpoints().stream().filter(StringUtils::hasText).toList();
	}

	/**
	 * Mistakes are reported by the names of properties, or of methods of a bean.
	 */
	private static EtcdConnection connection(EtcdLeaderConnectionDetails details) {
		boolean byProperties = details instanceof FromProperties;
		String bundle = byProperties ? BUNDLE : "EtcdLeaderConnectionDetails.getSslBundle()";
		String username = PropertyCheck.text(details.getUsername());
		String password = PropertyCheck.text(details.getPassword());
		PropertyCheck.bothOrNone(byProperties ? "leader.etcd" : "EtcdLeaderConnectionDetails", username, password,
				byProperties ? "Set both leader.etcd.username and leader.etcd.password, or none."
						: "Let EtcdLeaderConnectionDetails return both, or none.");
		String present = (details.getSslBundle() != null) ? bundle : null;
		EtcdEndpoints endpoints = PropertyCheck.usable(
				byProperties ? "leader.etcd.endpoints" : "EtcdLeaderConnectionDetails.getEndpoints()",
				() -> EtcdEndpoints.of(servers(details), present));
		return new EtcdConnection(endpoints.addresses(), username, password, endpoints.secure()
				? NamedSslBundle.reloading(bundle, details::getSslBundle, EtcdLeaderAutoConfiguration::sslContext)
				: null);
	}

	/**
	 * Create the context of connections.
	 * @param bundle the bundle, {@code null} to trust servers as the JVM does
	 */
	private static SslContext sslContext(@Nullable SslBundle bundle) {
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

	/** Adapts {@link LeaderEtcdProperties} to {@link EtcdLeaderConnectionDetails}. */
	record FromProperties(LeaderEtcdProperties properties,
			@Nullable NamedSslBundle bundle) implements EtcdLeaderConnectionDetails {

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

	/** Matches if servers or a client of etcd are configured. */
	static final class OnAnyEtcd extends AnyNestedCondition {

		OnAnyEtcd() {
			super(ConfigurationPhase.REGISTER_BEAN);
		}

		@Conditional(OnEndpoints.class)
		static final class ByProperty {

		}

		@ConditionalOnBean(EtcdLeaderConnectionDetails.class)
		static final class ByDetails {

		}

		@ConditionalOnBean(Client.class)
		static final class ByClient {

		}

	}

	static final class OnEndpoints extends OnServers {

		OnEndpoints() {
			super("leader.etcd.endpoints");
		}

	}

}
