package io.leaderstarter.backend.etcd;

import io.leaderstarter.election.spi.StoreException;
import org.jspecify.annotations.Nullable;

/**
 * etcd cannot be used, and somebody has to do something.
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

	/** Whether it may only be one server that does not answer. */
	boolean isUnreachable() {
		return this.unreachable;
	}

}
