package io.leaderstarter.autoconfigure;

import java.time.Duration;

import io.leaderstarter.backend.zookeeper.ZooKeeperLeaseProperties;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Configuration properties for leases in ZooKeeper.
 *
 * @since 0.1.0
 */
@ConfigurationProperties("leader.zookeeper")
public class LeaderZooKeeperProperties {

	private static final Duration SHORTEST_TICK = Duration.ofMillis(100);

	/** How long the start waits for ZooKeeper. A field for tests, and no property. */
	Duration connectionTimeout = Duration.ofSeconds(5);

	/**
	 * Hosts with ports, separated by commas, optionally followed by a path that is the
	 * root for the election. Defaults to that of a CuratorFramework bean.
	 */
	private @Nullable String connectString;

	/**
	 * Parent of all nodes of the election.
	 */
	private String basePath = "/leader";

	/**
	 * Value of tickTime in the configuration of the servers. If the servers have a longer
	 * one, two members can lead at the same time for a moment. A longer one needs a
	 * longer ttl.
	 */
	private Duration tickTime = Duration.ofSeconds(2);

	private final Auth auth = new Auth();

	private final Ssl ssl = new Ssl();

	public @Nullable String getConnectString() {
		return this.connectString;
	}

	public void setConnectString(@Nullable String connectString) {
		this.connectString = connectString;
	}

	public String getBasePath() {
		return this.basePath;
	}

	public void setBasePath(String basePath) {
		this.basePath = basePath;
	}

	public Duration getTickTime() {
		return this.tickTime;
	}

	public void setTickTime(Duration tickTime) {
		this.tickTime = tickTime;
	}

	public Auth getAuth() {
		return this.auth;
	}

	public Ssl getSsl() {
		return this.ssl;
	}

	/**
	 * Return how leases are kept.
	 * @param loggedIn whether the election logs in itself
	 */
	ZooKeeperLeaseProperties toLeaseProperties(boolean loggedIn) {
		PropertyCheck.atLeast(SHORTEST_TICK, "leader.zookeeper.tick-time", this.tickTime);
		return PropertyCheck.usable("leader.zookeeper.base-path", () -> new ZooKeeperLeaseProperties(this.basePath,
				this.tickTime, this.connectionTimeout, loggedIn || this.auth.isCreatorOnly()));
	}

	/**
	 * How the election logs in to ZooKeeper.
	 */
	public static class Auth {

		/**
		 * User of the scheme "digest". Defaults to none, so that the election does not
		 * log in, and every client may change its nodes.
		 */
		private @Nullable String username;

		/**
		 * Password of the user. Defaults to none.
		 */
		private @Nullable String password;

		/**
		 * Whether only the user who created the nodes may use them, also if a
		 * CuratorFramework bean logs in. With a username it is always so.
		 */
		private boolean creatorOnly;

		public @Nullable String getUsername() {
			return this.username;
		}

		public void setUsername(@Nullable String username) {
			this.username = PropertyCheck.text(username);
		}

		public @Nullable String getPassword() {
			return this.password;
		}

		public void setPassword(@Nullable String password) {
			this.password = PropertyCheck.text(password);
		}

		public boolean isCreatorOnly() {
			return this.creatorOnly;
		}

		public void setCreatorOnly(boolean creatorOnly) {
			this.creatorOnly = creatorOnly;
		}

	}

	/**
	 * Properties of TLS.
	 */
	public static class Ssl {

		/**
		 * Name of the SSL bundle with the keys and certificates. Defaults to none, so
		 * that connections are not encrypted.
		 */
		private @Nullable String bundle;

		public @Nullable String getBundle() {
			return this.bundle;
		}

		public void setBundle(@Nullable String bundle) {
			this.bundle = PropertyCheck.text(bundle);
		}

	}

}
