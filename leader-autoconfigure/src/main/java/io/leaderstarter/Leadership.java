package io.leaderstarter;

import java.time.Instant;

/**
 * One term: the time for which one member leads one role.
 * <p>
 * The epoch is the fencing token. It grows with every term of a role and is never used
 * twice, so whoever keeps the highest epoch seen can refuse what comes from an older
 * term. The term id distinguishes two terms even if a store lost data and granted an
 * epoch again.
 *
 * @param role the duty that is led
 * @param epoch number of the term, growing with every term of this role
 * @param termId random id of the term
 * @param member id of the member that leads
 * @param grantedAt when the member learned that it leads, by its own clock
 * @since 0.1.0
 */
public record Leadership(String role, long epoch, String termId, String member, Instant grantedAt) {

	@Override
	public String toString() {
		return "'%s' epoch %d of %s".formatted(this.role, this.epoch, this.member);
	}

}
