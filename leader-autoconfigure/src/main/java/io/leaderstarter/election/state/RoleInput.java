package io.leaderstarter.election.state;

import io.leaderstarter.Leadership;
import io.leaderstarter.RevocationReason;

/**
 * What can happen to the election of one role on this member. What concerns a term names
 * its term id: an answer that comes when the next term has begun must not judge that one.
 * <p>
 * Internal: not for applications.
 *
 * @since 0.1.0
 */
public sealed interface RoleInput {

	/** The store granted a term that lasts until the deadline unless it is renewed. */
	record Granted(Leadership leadership, Deadline deadline) implements RoleInput {
	}

	/** The gate let the term begin. */
	record GateOpened(String termId) implements RoleInput {
	}

	/** The gate did not let the term begin. */
	record GateFailed(String termId, String reason) implements RoleInput {
	}

	/** The store renewed the term. */
	record Renewed(String termId, Deadline deadline) implements RoleInput {
	}

	/** The store refused to renew the term. */
	record RenewalRefused(String termId) implements RoleInput {
	}

	/** A database refused a write of the term, though its fence was raised for it. */
	record FenceRefused(String termId) implements RoleInput {
	}

	/** Time passed. */
	record TimePassed() implements RoleInput {

		public static final TimePassed INSTANCE = new TimePassed();

	}

	/** This member is to leave the role. */
	record Leave(RevocationReason reason) implements RoleInput {
	}

	/** No call of the term runs any more, and none can begin. */
	record Drained(String termId) implements RoleInput {
	}

	/** The calls of the term took too long to end. */
	record DrainTimedOut(String termId) implements RoleInput {
	}

	/** The lease was released, or could not be. */
	record Released(String termId) implements RoleInput {
	}

}
