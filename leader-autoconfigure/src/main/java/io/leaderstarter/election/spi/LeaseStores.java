package io.leaderstarter.election.spi;

import java.util.function.Function;

import io.leaderstarter.Member;

/**
 * Creates the store that elections use from one start to the next stop. A stopped
 * application can be started again, or go on from a checkpoint in several processes, and
 * then nothing of the former start may be left.
 *
 * @param name the name of the backend, such as {@code jdbc}
 * @param creation returns the store for one start
 * @param shared whether it returns the same store for all starts, which is not closed
 * when the elections stop
 * @since 0.1.0
 */
public record LeaseStores(String name, Function<Member, LeaseStore> creation, boolean shared) {

	/**
	 * Create the store for one start.
	 * @param member the member of that start
	 * @return the store
	 */
	public LeaseStore create(Member member) {
		return this.creation.apply(member);
	}

	/**
	 * Discard a store when the elections have stopped. Leases stay as they are.
	 * @param store the store
	 */
	public void discard(LeaseStore store) {
		if (!this.shared) {
			store.close();
		}
	}

	/**
	 * Use one store for all starts. It is not closed when the elections stop.
	 * @param store the store
	 * @return what returns it each time
	 */
	public static LeaseStores of(LeaseStore store) {
		return new LeaseStores(store.name(), (member) -> store, true);
	}

}
