package io.leaderstarter.backend.jdbc;

import java.time.Duration;
import java.util.function.Supplier;

import javax.sql.DataSource;

import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.LeaseStoreFactory;
import io.leaderstarter.election.spi.StoreIdentity;

/**
 * {@link LeaseStoreFactory} for stores that keep leases in a database.
 *
 * @param dataSource supplies connections for the leases, resolved when a store is created
 * @param properties how leases are kept
 * @since 0.1.0
 */
public record JdbcLeaseStoreFactory(Supplier<DataSource> dataSource,
		JdbcLeaseProperties properties) implements LeaseStoreFactory {

	static final String NAME = "jdbc";

	private static final Duration MINIMUM_TTL = Duration.ofSeconds(1);

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
		return new JdbcLeaseStore(this.dataSource.get(), identity, this.properties);
	}

}
