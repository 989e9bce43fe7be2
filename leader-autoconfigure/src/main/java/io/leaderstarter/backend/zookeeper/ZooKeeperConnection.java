package io.leaderstarter.backend.zookeeper;

import java.util.function.Supplier;

import org.apache.zookeeper.client.ConnectStringParser;
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
	 * Checks the connect string, as the client of ZooKeeper would later.
	 * @throws IllegalArgumentException if it names no servers
	 */
	public ZooKeeperConnection {
		try {
			if (new ConnectStringParser(connectString).getServerAddresses().isEmpty()) {
				throw new IllegalArgumentException("it names no server");
			}
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException("'%s' is no list such as zoo-1:2181,zoo-2:2181 or zoo-1:2181/path: %s"
				.formatted(connectString, ex.getMessage()), ex);
		}
	}

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
