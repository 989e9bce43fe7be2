package io.leaderstarter.election.spi;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * The state of one role in a store.
 *
 * @param role the role
 * @param epoch the last epoch that was granted, 0 if there was none
 * @param owner who holds the lease, {@code null} if it is free
 * @since 0.1.0
 */
public record LeaseView(String role, long epoch, @Nullable Owner owner) {

	/**
	 * Return whether a next term could have a number. No election writes an epoch that
	 * has no next one, and to guess another could give one out again, so a person has to
	 * decide. Until then no member may request the role: in a store, one request that
	 * fails can make all fail that were sent with it.
	 * @return whether there is a next epoch
	 */
	public boolean hasNextEpoch() {
		return this.epoch >= 0 && this.epoch < Long.MAX_VALUE;
	}

	/**
	 * Who holds a lease.
	 *
	 * @param member id of the member
	 * @param termId random id of the term
	 * @param expiry when it runs out, {@code null} if the store notifies by itself
	 */
	public record Owner(String member, String termId, @Nullable Expiry expiry) {
	}

	/**
	 * When a lease runs out, by the clock of the store.
	 *
	 * @param mark changes with every renewal. The same mark twice means that no member
	 * renewed in between, whatever the clocks did.
	 * @param remaining the time until then; zero or less if it has run out
	 * @param ttl the time that a renewal gives
	 */
	public record Expiry(long mark, Duration remaining, Duration ttl) {
	}

}
