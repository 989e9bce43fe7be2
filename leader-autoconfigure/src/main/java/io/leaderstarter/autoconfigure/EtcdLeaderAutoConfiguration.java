package io.leaderstarter.autoconfigure;

import java.util.List;

import javax.net.ssl.SSLException;

import io.etcd.jetcd.Client;
import io.grpc.netty.GrpcSslContexts;
import io.leaderstarter.backend.etcd.EtcdConnection;
import io.leaderstarter.backend.etcd.EtcdLeaseProperties;
import io.leaderstarter.backend.etcd.EtcdLeaseStoreFactory;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
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
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.ssl.SslOptions;
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

	/**
	 * What was said for the election alone is preferred to a client that may be shared.
	 */
	@Bean
	@ConditionalOnMissingBean
	EtcdLeaseStoreFactory etcdLeaseStoreFactory(LeaderEtcdProperties properties,
			ObjectProvider<EtcdLeaderConnectionDetails> details, ObjectProvider<Client> client,
			ObjectProvider<SslBundles> bundles) {
		return EtcdLeaseStoreFactory
			.deferred(SingletonSupplier.of(() -> settled(properties, details, client, bundles)));
	}

	private static EtcdLeaseStoreFactory settled(LeaderEtcdProperties properties,
			ObjectProvider<EtcdLeaderConnectionDetails> details, ObjectProvider<Client> client,
			ObjectProvider<SslBundles> bundles) {
		EtcdLeaseProperties lease = properties.toLeaseProperties();
		EtcdLeaderConnectionDetails special = details.getIfAvailable();
		List<String> named = (special != null) ? special.getEndpoints() : properties.getEndpoints();
		List<String> servers = named.stream().filter(StringUtils::hasText).toList();
		if (!servers.isEmpty()) {
			SslBundle bundle = (special != null) ? special.getSslBundle() : null;
			String name = properties.getSsl().getBundle();
			if (bundle == null && name != null) {
				bundle = new NamedSslBundle(bundles.getIfAvailable(DefaultSslBundleRegistry::new), BUNDLE, name).get();
			}
			return EtcdLeaseStoreFactory.connecting(connection(servers, properties, bundle), lease);
		}
		String bean = "a Client bean";
		PropertyCheck.unused(BUNDLE, properties.getSsl().getBundle(), bean, "Set leader.etcd.endpoints.",
				"Give the Client bean an SslContext, and remove leader.etcd.ssl.bundle.");
		PropertyCheck.unused("leader.etcd.username", properties.getUsername(), bean, "Set leader.etcd.endpoints.",
				"Give the Client bean its user, and remove leader.etcd.username and leader.etcd.password.");
		return EtcdLeaseStoreFactory.using(only(client), lease);
	}

	private static Client only(ObjectProvider<Client> client) {
		Client only = client.getIfUnique();
		if (only != null) {
			return only;
		}
		if (client.stream().findAny().isEmpty()) {
			throw new LeaderConfigurationException("Nothing says where the etcd is that keeps leases",
					List.of("Set leader.etcd.endpoints.", "Add a Client bean of jetcd.",
							"Let the EtcdLeaderConnectionDetails bean name an endpoint, if there is one."));
		}
		throw new LeaderConfigurationException("There are several Client beans of jetcd, and none is primary",
				List.of("Mark one of them @Primary.", "Set leader.etcd.endpoints."));
	}

	private static EtcdConnection connection(List<String> servers, LeaderEtcdProperties properties,
			@Nullable SslBundle bundle) {
		EtcdEndpoints endpoints = PropertyCheck.usable("leader.etcd.endpoints",
				() -> EtcdEndpoints.of(servers, bundle != null));
		return new EtcdConnection(endpoints.addresses(), properties.getUsername(), properties.getPassword(),
				endpoints.secure() ? ssl(bundle) : null);
	}

	private static SslContext ssl(@Nullable SslBundle bundle) {
		return (bundle != null) ? NamedSslBundle.use(BUNDLE, bundle, EtcdLeaderAutoConfiguration::context)
				: context(null);
	}

	private static SslContext context(@Nullable SslBundle bundle) {
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

	/** Matches if there is an etcd that could be meant. */
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
