package io.leaderstarter.simulation;

import java.time.Duration;

import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.LeaseStoreContractTests;
import io.leaderstarter.election.spi.StoreIdentity;

/**
 * Tests for {@link LeaseServer} and {@link LeaseClient}: the store of the simulation has
 * to pass what every real one has to.
 */
abstract class SimulatedStoreTests extends LeaseStoreContractTests {

	private final LeaseServer server;

	SimulatedStoreTests(boolean showsExpiry) {
		long origin = System.nanoTime();
		this.server = new LeaseServer(() -> System.nanoTime() - origin, showsExpiry, () -> {
		});
	}

	@Override
	protected LeaseStore createStore(StoreIdentity identity) {
		return new LeaseClient(identity, this.server, Network.DIRECT, System::nanoTime, Duration.ofMillis(50));
	}

}
