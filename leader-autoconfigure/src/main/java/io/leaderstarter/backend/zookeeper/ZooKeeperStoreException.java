package io.leaderstarter.backend.zookeeper;

import io.leaderstarter.election.spi.StoreException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if ZooKeeper cannot be used, with advice.
 *
 * @since 0.1.0
 */
public class ZooKeeperStoreException extends StoreException {

	private static final long serialVersionUID = 1L;

	ZooKeeperStoreException(String message, String advice, @Nullable Throwable cause) {
		super(message, advice, cause);
	}

}
