package io.leaderstarter.backend.zookeeper;

import java.util.function.Supplier;

import org.apache.zookeeper.client.ConnectStringParser;
import org.jspecify.annotations.Nullable;

/**
 * The servers of ZooKeeper, and the user of this application.
 *
 * @param connectString hosts with ports, separated by commas, maybe followed by a root
 * path
 * @param digest user and password, separated by a colon, {@code null} for none
 * @param tls supplies the TLS settings of each connection, {@code null} for connections
 * without TLS. Must return the same instance unless the settings have changed.
 * @since 0.1.0
 */
public record ZooKeeperConnection(String connectString, @Nullable String digest, @Nullable Supplier<ZooKeeperTls> tls) {

	/**
	 * Check the connect string, as the client of ZooKeeper would later.
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

	/** Omit the password. */
	@Override
	public String toString() {
		return "ZooKeeperConnection[" + this.connectString + "]";
	}

}
