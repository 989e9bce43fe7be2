package io.leaderstarter.election.spi;

import io.leaderstarter.Member;

/**
 * Creates the store that elections use from one start to the next stop. A stopped
 * application can be started again, or go on from a checkpoint in several processes, and
 * then nothing of the former start may be left.
 *
 * @since 0.1.0
 */
public interface LeaseStores {

	/**
	 * Return the name of the backend, such as {@code jdbc}.
	 * @return the name
	 */
	String name();

	/**
	 * Create the store for one start.
	 * @param member the member of that start
	 * @return the store
	 */
	LeaseStore create(Member member);

	/**
	 * Discard a store when the elections have stopped. Leases stay as they are.
	 * @param store the store
	 */
	default void discard(LeaseStore store) {
		store.close();
	}

	/**
	 * Use one store for all starts. It is not closed when the elections stop.
	 * @param store the store
	 * @return what returns it each time
	 */
	static LeaseStores of(LeaseStore store) {
		return new LeaseStores() {

			@Override
			public String name() {
				return store.name();
			}

			@Override
			public LeaseStore create(Member member) {
				return store;
			}

			@Override
			public void discard(LeaseStore used) {
			}

		};
	}

}
