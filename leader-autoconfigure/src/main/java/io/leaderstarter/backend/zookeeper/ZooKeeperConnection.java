package io.leaderstarter.backend.zookeeper;

import org.jspecify.annotations.Nullable;

/**
 * Where ZooKeeper is, and who we are there.
 *
 * @param connectString hosts with ports, separated by commas, maybe with a path behind
 * that is the root for us
 * @param digest user and password with a colon between, {@code null} for nobody
 * @since 0.1.0
 */
public record ZooKeeperConnection(String connectString, @Nullable String digest) {

	/** Leaves the password out. */
	@Override
	public String toString() {
		return "ZooKeeperConnection[" + this.connectString + "]";
	}

}
