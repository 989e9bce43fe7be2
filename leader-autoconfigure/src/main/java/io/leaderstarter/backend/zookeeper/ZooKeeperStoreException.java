package io.leaderstarter.backend.zookeeper;

import io.leaderstarter.election.spi.StoreException;
import org.jspecify.annotations.Nullable;

/**
 * ZooKeeper cannot be used, and somebody has to do something.
 *
 * @since 0.1.0
 */
public class ZooKeeperStoreException extends StoreException {

	private static final long serialVersionUID = 1L;

	ZooKeeperStoreException(String message, String advice, @Nullable Throwable cause) {
		super(message, advice, cause);
	}

}
