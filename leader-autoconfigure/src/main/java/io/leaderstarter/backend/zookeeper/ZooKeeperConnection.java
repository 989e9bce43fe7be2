package io.leaderstarter.backend.zookeeper;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Where ZooKeeper is, and who we are there.
 *
 * @param connectString hosts with ports, separated by commas, maybe with a path behind
 * that is the root for us
 * @param digest user and password with a colon between, {@code null} for nobody
 * @param tls asked for each connection what it needs for TLS, {@code null} to do without.
 * It gives the same instance again if nothing has changed.
 * @since 0.1.0
 */
public record ZooKeeperConnection(String connectString, @Nullable String digest, @Nullable Supplier<ZooKeeperTls> tls) {

	/**
	 * Makes a connection without TLS.
	 * @param connectString as in the other constructor
	 * @param digest as in the other constructor
	 */
	public ZooKeeperConnection(String connectString, @Nullable String digest) {
		this(connectString, digest, null);
	}

	/** Leaves the password out. */
	@Override
	public String toString() {
		return "ZooKeeperConnection[" + this.connectString + "]";
	}

}
