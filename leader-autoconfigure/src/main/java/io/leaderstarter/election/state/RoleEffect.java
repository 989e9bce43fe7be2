package io.leaderstarter.election.state;

import io.leaderstarter.Leadership;
import io.leaderstarter.RevocationReason;
import io.leaderstarter.election.spi.LeaseKey;

/**
 * What has to be done because the state of an election changed.
 * <p>
 * Internal: not for applications.
 *
 * @since 0.1.0
 */
public sealed interface RoleEffect {

	/**
	 * Open the gate of the term, then apply {@link RoleInput.GateOpened} or
	 * {@link RoleInput.GateFailed}.
	 */
	record OpenGate(Leadership leadership) implements RoleEffect {
	}

	/** Notify listeners that this member leads. */
	record AnnounceGranted(Leadership leadership) implements RoleEffect {
	}

	/** Notify listeners that this member no longer leads. */
	record AnnounceRevoked(Leadership leadership, RevocationReason reason) implements RoleEffect {
	}

	/** Release the lease, then apply {@link RoleInput.Released}. */
	record Release(LeaseKey lease) implements RoleEffect {
	}

}
