package io.leaderstarter.backend.etcd;

import io.leaderstarter.election.spi.StoreException;

/**
 * Thrown if the lease of this member has expired, so that it holds nothing.
 */
final class LeaseGoneException extends StoreException {

	private static final long serialVersionUID = 1L;

	LeaseGoneException(Throwable cause) {
		super("The lease of this member has run out in etcd", cause);
	}

}
