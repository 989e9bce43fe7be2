package io.leaderstarter.autoconfigure;

import java.time.Duration;

import io.leaderstarter.backend.zookeeper.ZooKeeperLeaseProperties;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Configuration properties for leases in ZooKeeper.
 *
 * @param connectString Hosts with ports, separated by commas, optionally followed by a
 * path that is the root for the election. Defaults to that of a CuratorFramework bean.
 * @param basePath Parent of all nodes of the election.
 * @param tickTime Value of tickTime in the configuration of the servers. If the servers
 * have a longer one, two members can lead at the same time for a moment. A longer one
 * needs a longer ttl.
 * @param auth How the election logs in to ZooKeeper.
 * @param ssl Properties of TLS.
 * @since 0.1.0
 */
@ConfigurationProperties("leader.zookeeper")
public record LeaderZooKeeperProperties(@Nullable String connectString, @DefaultValue("/leader") String basePath,
		@DefaultValue("2s") Duration tickTime, @DefaultValue Auth auth, @DefaultValue Ssl ssl) {

	private static final Duration SHORTEST_TICK = Duration.ofMillis(100);

	private static final Duration CONNECTION_TIMEOUT = Duration.ofSeconds(5);

	/**
	 * Return how leases are kept.
	 * @param loggedIn whether the election logs in itself
	 */
	ZooKeeperLeaseProperties toLeaseProperties(boolean loggedIn) {
		PropertyCheck.atLeast(SHORTEST_TICK, "leader.zookeeper.tick-time", this.tickTime);
		return PropertyCheck.usable("leader.zookeeper.base-path", () -> new ZooKeeperLeaseProperties(this.basePath,
				this.tickTime, CONNECTION_TIMEOUT, loggedIn || this.auth.creatorOnly()));
	}

	/**
	 * How the election logs in to ZooKeeper.
	 *
	 * @param username User of the scheme "digest". Defaults to none, so that the election
	 * does not log in, and every client may change its nodes.
	 * @param password Password of the user. Defaults to none.
	 * @param creatorOnly Whether only the user who created the nodes may use them, also
	 * if a CuratorFramework bean logs in. With a username it is always so.
	 */
	public record Auth(@Nullable String username, @Nullable String password,
			@DefaultValue("false") boolean creatorOnly) {

		/** Leave the password out. */
		@Override
		public String toString() {
			return "Auth[username=" + this.username + "]";
		}

	}

	/**
	 * Properties of TLS.
	 *
	 * @param bundle Name of the SSL bundle with the keys and certificates. Defaults to
	 * none, so that connections are not encrypted.
	 */
	public record Ssl(@Nullable String bundle) {
	}

}
