package io.leaderstarter.backend.zookeeper;

import java.time.Duration;
import java.util.function.Function;
import java.util.function.Supplier;

import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.LeaseStoreFactory;
import io.leaderstarter.election.spi.StoreIdentity;
import org.apache.curator.framework.CuratorFramework;

/**
 * {@link LeaseStoreFactory} for stores that keep leases in ZooKeeper.
 *
 * @since 0.1.0
 */
public final class ZooKeeperLeaseStoreFactory implements LeaseStoreFactory {

	static final String NAME = "zookeeper";

	/**
	 * A lease counts from a renewal that was answered a tick before the last one was
	 * sent. With fewer ticks that one is so old that the term ends before there is
	 * another.
	 */
	private static final int TICKS = 5;

	/** As the last renewal but one counts, or one before that. */
	private static final int RENEWALS = 5;

	private static final int LEAST_INTERVALS = 3;

	private final Supplier<Duration> tickTime;

	private final Function<StoreIdentity, LeaseStore> stores;

	private ZooKeeperLeaseStoreFactory(Supplier<Duration> tickTime, Function<StoreIdentity, LeaseStore> stores) {
		this.tickTime = tickTime;
		this.stores = stores;
	}

	/**
	 * Create a factory whose stores have dedicated connections.
	 * @param connection the servers of ZooKeeper
	 * @param properties how leases are kept
	 * @return the factory
	 */
	public static ZooKeeperLeaseStoreFactory connecting(ZooKeeperConnection connection,
			ZooKeeperLeaseProperties properties) {
		return new ZooKeeperLeaseStoreFactory(properties::tickTime,
				(identity) -> new ZooKeeperLeaseStore(
						ZooKeeperClient.connecting(connection, identity.ttl(), properties.connectionTimeout()),
						identity, properties));
	}

	/**
	 * Create a factory whose stores use a client of the application, which starts and
	 * closes it.
	 * @param client the client. Its session holds the leases.
	 * @param properties how leases are kept
	 * @return the factory
	 */
	public static ZooKeeperLeaseStoreFactory using(CuratorFramework client, ZooKeeperLeaseProperties properties) {
		return new ZooKeeperLeaseStoreFactory(properties::tickTime,
				(identity) -> new ZooKeeperLeaseStore(ZooKeeperClient.using(client), identity, properties));
	}

	/**
	 * Create a factory that is configured only when leases are to be kept in ZooKeeper,
	 * so that settings of an unused backend are not checked.
	 * @param factory supplies the configured factory
	 * @return the factory
	 */
	public static ZooKeeperLeaseStoreFactory deferred(Supplier<ZooKeeperLeaseStoreFactory> factory) {
		return new ZooKeeperLeaseStoreFactory(() -> factory.get().tickTime.get(),
				(identity) -> factory.get().create(identity));
	}

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public Duration minimumTtl() {
		return this.tickTime.get().multipliedBy(TICKS);
	}

	@Override
	public int renewalsPerTtl() {
		return RENEWALS;
	}

	@Override
	public int leastIntervalsPerTtl() {
		return LEAST_INTERVALS;
	}

	@Override
	public LeaseStore create(StoreIdentity identity) {
		return this.stores.apply(identity);
	}

}
