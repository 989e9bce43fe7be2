package io.leaderstarter.election.spi;

import org.jspecify.annotations.Nullable;

/**
 * Identifies one term in a store. All three parts must agree wherever it is used.
 *
 * @param role the role
 * @param epoch number of the term
 * @param termId random id of the term
 * @since 0.1.0
 */
public record LeaseKey(String role, long epoch, String termId) {

	/**
	 * Written out, and so is {@link #hashCode()}: a JVM needs tens of milliseconds when
	 * it first uses what the compiler makes of a record, in the middle of a hand-over.
	 */
	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof LeaseKey key && this.epoch == key.epoch && this.role.equals(key.role)
				&& this.termId.equals(key.termId);
	}

	@Override
	public int hashCode() {
		return 31 * (31 * this.role.hashCode() + Long.hashCode(this.epoch)) + this.termId.hashCode();
	}

}
