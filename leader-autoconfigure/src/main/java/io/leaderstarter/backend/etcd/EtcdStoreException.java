package io.leaderstarter.backend.etcd;

import io.leaderstarter.election.spi.StoreException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if etcd cannot be used, with advice.
 *
 * @since 0.1.0
 */
public class EtcdStoreException extends StoreException {

	private static final long serialVersionUID = 1L;

	private final boolean unreachable;

	EtcdStoreException(String message, String advice, boolean unreachable, @Nullable Throwable cause) {
		super(message, advice, cause);
		this.unreachable = unreachable;
	}

	/** Return whether another server may work. */
	boolean isUnreachable() {
		return this.unreachable;
	}

}
