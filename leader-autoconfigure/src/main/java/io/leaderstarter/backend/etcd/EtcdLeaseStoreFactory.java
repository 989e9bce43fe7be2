package io.leaderstarter.backend.etcd;

import java.time.Duration;
import java.util.function.Function;
import java.util.function.Supplier;

import io.etcd.jetcd.Client;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.LeaseStoreFactory;
import io.leaderstarter.election.spi.StoreIdentity;

/**
 * {@link LeaseStoreFactory} for stores that keep leases in etcd.
 *
 * @since 0.1.0
 */
public final class EtcdLeaseStoreFactory implements LeaseStoreFactory {

	static final String NAME = "etcd";

	/** The shortest lease of etcd with its default settings. */
	private static final Duration MINIMUM_TTL = Duration.ofSeconds(2);

	private final Function<StoreIdentity, LeaseStore> stores;

	private EtcdLeaseStoreFactory(Function<StoreIdentity, LeaseStore> stores) {
		this.stores = stores;
	}

	/**
	 * Create a factory whose stores have dedicated connections.
	 * @param connection the servers of etcd
	 * @param properties how leases are kept
	 * @return the factory
	 */
	public static EtcdLeaseStoreFactory connecting(EtcdConnection connection, EtcdLeaseProperties properties) {
		return new EtcdLeaseStoreFactory(
				(identity) -> new EtcdLeaseStore(EtcdServers.connecting(connection), identity, properties));
	}

	/**
	 * Create a factory whose stores use a client of the application.
	 * @param client the client
	 * @param properties how leases are kept
	 * @return the factory
	 */
	public static EtcdLeaseStoreFactory using(Client client, EtcdLeaseProperties properties) {
		return new EtcdLeaseStoreFactory(
				(identity) -> new EtcdLeaseStore(EtcdServers.using(client), identity, properties));
	}

	/**
	 * Create a factory that is configured only when leases are to be kept in etcd, so
	 * that settings of an unused backend are not checked.
	 * @param factory supplies the configured factory
	 * @return the factory
	 */
	public static EtcdLeaseStoreFactory deferred(Supplier<EtcdLeaseStoreFactory> factory) {
		return new EtcdLeaseStoreFactory((identity) -> factory.get().create(identity));
	}

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public Duration minimumTtl() {
		return MINIMUM_TTL;
	}

	@Override
	public LeaseStore create(StoreIdentity identity) {
		return this.stores.apply(identity);
	}

}
