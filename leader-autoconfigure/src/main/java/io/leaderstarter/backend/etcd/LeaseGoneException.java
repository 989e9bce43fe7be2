package io.leaderstarter.backend.etcd;

import io.leaderstarter.election.spi.StoreException;

/**
 * etcd does not know our lease any more, so nothing is held by it.
 */
final class LeaseGoneException extends StoreException {

	private static final long serialVersionUID = 1L;

	LeaseGoneException(Throwable cause) {
		super("The lease of this member has run out in etcd", cause);
	}

}
