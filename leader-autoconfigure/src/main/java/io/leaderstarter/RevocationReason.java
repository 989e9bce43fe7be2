package io.leaderstarter;

/**
 * Why a term ended.
 *
 * @since 0.1.0
 */
public enum RevocationReason {

	/** The lease could not be renewed in time. */
	LEASE_EXPIRED,

	/** The store refused the renewal: the lease belongs to another term. */
	SUPERSEDED,

	/** A fenced database refused a write of the term, as a later term has begun there. */
	FENCE_REFUSED,

	/** The member gave the role up. */
	RESIGNED,

	/** The member was paused. */
	PAUSED,

	/** The work of the role failed again and again, so another member is given a try. */
	YIELDED,

	/** The member handed the role over to one that is preferred for it. */
	REBALANCED,

	/** The application stopped. */
	SHUTDOWN

}
