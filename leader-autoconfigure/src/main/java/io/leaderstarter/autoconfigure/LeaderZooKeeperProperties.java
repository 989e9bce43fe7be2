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
	 * Hosts with ports, separated by commas, maybe with a path behind that is the root
	 * for the election. Left out, a CuratorFramework bean is used.
	 */
	private @Nullable String connectString;

	/**
	 * Node that everything is kept below.
	 */
	private String basePath = "/leader";

	/**
	 * Value of tickTime in the configuration of the servers. If it is longer there than
	 * here, two members can lead at once for a moment. The longer it is, the longer the
	 * ttl must be.
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
	 * Returns how leases are kept.
	 * @param loggedIn whether the election logs in by itself
	 */
	ZooKeeperLeaseProperties toLeaseProperties(boolean loggedIn) {
		PropertyCheck.atLeast(SHORTEST_TICK, "leader.zookeeper.tick-time", this.tickTime);
		return PropertyCheck.usable("leader.zookeeper.base-path", () -> new ZooKeeperLeaseProperties(this.basePath,
				this.tickTime, this.connectionTimeout, loggedIn || this.auth.isCreatorOnly()));
	}

	/**
	 * Who the election is to ZooKeeper.
	 */
	public static class Auth {

		/**
		 * User of the scheme "digest". Left out, the election does not log in, and
		 * everybody may change its nodes.
		 */
		private @Nullable String username;

		/**
		 * Password of the user. Left out if there is none.
		 */
		private @Nullable String password;

		/**
		 * Whether only who logs in as the creator did may use the nodes, also if a
		 * CuratorFramework bean logs in. It is always so with a username.
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
	 * How connections are protected.
	 */
	public static class Ssl {

		/**
		 * Name of the SSL bundle with the keys and certificates for TLS. Left out,
		 * connections are not protected.
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
