package io.leaderstarter.simulation;

/**
 * Tests for the store of the simulation whose leases run out by its clock, as in a
 * database.
 */
class StoreThatShowsExpiryTests extends SimulatedStoreTests {

	StoreThatShowsExpiryTests() {
		super(true);
	}

}
