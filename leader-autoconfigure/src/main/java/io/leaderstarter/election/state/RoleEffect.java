package io.leaderstarter.election.state;

import io.leaderstarter.Leadership;
import io.leaderstarter.RevocationReason;
import io.leaderstarter.election.spi.LeaseKey;

/**
 * What has to be done because the election of a role went on.
 * <p>
 * Internal: not for applications.
 *
 * @since 0.1.0
 */
public sealed interface RoleEffect {

	/** Do what comes before a term begins, then say how it went. */
	record OpenGate(Leadership leadership) implements RoleEffect {
	}

	/** Tell everybody that this member leads. */
	record AnnounceGranted(Leadership leadership) implements RoleEffect {
	}

	/** Tell everybody that this member leads no more. */
	record AnnounceRevoked(Leadership leadership, RevocationReason reason) implements RoleEffect {
	}

	/** Tell the store that the lease is free, then say so. */
	record Release(LeaseKey lease) implements RoleEffect {
	}

}
