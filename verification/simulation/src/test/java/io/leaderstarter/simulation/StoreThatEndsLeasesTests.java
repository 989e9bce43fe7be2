package io.leaderstarter.simulation;

/**
 * Tests for the store of the simulation that ends leases by itself, as ZooKeeper and etcd
 * do.
 */
class StoreThatEndsLeasesTests extends SimulatedStoreTests {

	StoreThatEndsLeasesTests() {
		super(false);
	}

}
