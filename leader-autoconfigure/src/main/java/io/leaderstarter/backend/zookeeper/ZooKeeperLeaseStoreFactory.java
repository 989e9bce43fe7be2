package io.leaderstarter.backend.zookeeper;

import java.time.Duration;
import java.util.function.Function;

import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.LeaseStoreFactory;
import io.leaderstarter.election.spi.StoreIdentity;
import org.apache.curator.framework.CuratorFramework;

/**
 * Makes stores that keep leases in ZooKeeper.
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

	private final Function<Duration, ZooKeeperClient> client;

	private final ZooKeeperLeaseProperties properties;

	private ZooKeeperLeaseStoreFactory(Function<Duration, ZooKeeperClient> client,
			ZooKeeperLeaseProperties properties) {
		this.client = client;
		this.properties = properties;
	}

	/**
	 * Makes a factory whose stores have connections of their own.
	 * @param connection where ZooKeeper is
	 * @param properties how leases are kept
	 * @return the factory
	 */
	public static ZooKeeperLeaseStoreFactory connecting(ZooKeeperConnection connection,
			ZooKeeperLeaseProperties properties) {
		return new ZooKeeperLeaseStoreFactory(
				(ttl) -> ZooKeeperClient.connecting(connection, ttl, properties.connectionTimeout()), properties);
	}

	/**
	 * Makes a factory whose stores use a client that somebody else starts and closes.
	 * @param client the client. Its session holds the leases.
	 * @param properties how leases are kept
	 * @return the factory
	 */
	public static ZooKeeperLeaseStoreFactory using(CuratorFramework client, ZooKeeperLeaseProperties properties) {
		return new ZooKeeperLeaseStoreFactory((ttl) -> ZooKeeperClient.using(client), properties);
	}

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public Duration minimumTtl() {
		return this.properties.tickTime().multipliedBy(TICKS);
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
		return new ZooKeeperLeaseStore(this.client.apply(identity.ttl()), identity, this.properties);
	}

}
