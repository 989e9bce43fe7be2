package io.leaderstarter.election.spi;

import org.jspecify.annotations.Nullable;

/**
 * Request for a role that was observed as free.
 *
 * @param role the role
 * @param observedEpoch the epoch that was seen. The store grants exactly the next one,
 * and only if this one is still there, so that a request that arrives late finds nothing.
 * @param termId random id that the term will have
 * @param observedMark the mark of the lease that was seen, {@code null} if the role was
 * free or the store notifies by itself. The store grants only what still has this mark:
 * what was renewed since then is relied on, even if the store's clock was set and it
 * seems expired again.
 * @param over whether that lease was seen for all its time by the clock of this process
 * and not renewed, so that it is over whatever the store's clock is
 * @since 0.1.0
 */
public record LeaseRequest(String role, long observedEpoch, String termId, @Nullable Long observedMark, boolean over) {

	/**
	 * Return what is held if the request is granted.
	 * @return the key of the lease
	 */
	public LeaseKey key() {
		return new LeaseKey(this.role, this.observedEpoch + 1, this.termId);
	}

}
