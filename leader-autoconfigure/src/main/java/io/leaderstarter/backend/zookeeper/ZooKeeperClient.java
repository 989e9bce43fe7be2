package io.leaderstarter.backend.zookeeper;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.leaderstarter.backend.support.CallTimeout;
import io.leaderstarter.election.spi.StoreException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a session, and creates a new one when it is lost, by Curator. Requests bypass
 * Curator, as each has to know its session.
 */
final class ZooKeeperClient {

	private static final Log logger = LogFactory.getLog(ZooKeeperClient.class);

	private static final Duration CLOSING = Duration.ofSeconds(2);

	private final CuratorFramework curator;

	private final boolean dedicated;

	private final String where;

	private final Supplier<ServerCheck> servers;

	private final @Nullable TlsStores tls;

	private volatile boolean closed;

	private ZooKeeperClient(CuratorFramework curator, boolean dedicated, String where, Supplier<ServerCheck> servers,
			@Nullable TlsStores tls) {
		this.curator = curator;
		this.dedicated = dedicated;
		this.where = where;
		this.servers = servers;
		this.tls = tls;
	}

	/** Use a client of the application, which starts and closes it. */
	static ZooKeeperClient using(CuratorFramework curator) {
		return new ZooKeeperClient(curator, false, "that the CuratorFramework bean is for", () -> check(curator), null);
	}

	/**
	 * Create the check from the TLS settings of a client of the application. Curator does
	 * not always expose them without a connection.
	 */
	private static ServerCheck check(CuratorFramework curator) {
		String servers = curator.getZookeeperClient().getCurrentConnectionString();
		try {
			ZKClientConfig configuration = curator.getZookeeperClient().getZooKeeper().getClientConfig();
			return new ServerCheck(servers,
					configuration.getBoolean(ZKClientConfig.SECURE_CLIENT) ? new ClientTls(configuration) : null,
					ServerCheck.State.NO_ZOOKEEPER);
		}
		catch (Exception ex) {
			logger.debug("It is not known whether the CuratorFramework bean uses TLS", ex);
			return new ServerCheck(servers, null, ServerCheck.State.WAITS);
		}
	}

	static ZooKeeperClient connecting(ZooKeeperConnection connection, Duration sessionTimeout,
			Duration connectionTimeout) {
		Supplier<ZooKeeperTls> tls = connection.tls();
		TlsStores stores = (tls != null) ? new TlsStores(tls) : null;
		ServerCheck servers = new ServerCheck(connection.connectString(),
				(stores != null) ? new ClientTls(stores.configuration()) : null, ServerCheck.State.NO_ZOOKEEPER);
		CuratorFrameworkFactory.Builder builder = CuratorFrameworkFactory.builder()
			.connectString(connection.connectString())
			.sessionTimeoutMs((int) sessionTimeout.toMillis())
			.connectionTimeoutMs((int) connectionTimeout.toMillis())
			.retryPolicy(new RetryOneTime(1))
			.waitForShutdownTimeoutMs((int) CLOSING.toMillis())
			// The addresses of the connect string may differ from the advertised ones on
			// purpose.
			.ensembleTracker(false)
			.zookeeperFactory(
					(stores != null) ? LeaderZooKeeper.factory(servers, stores.configuration(), stores::refresh)
							: LeaderZooKeeper.factory(servers, new ZKClientConfig(), () -> {
							}));
		String digest = connection.digest();
		if (digest != null) {
			builder.authorization("digest", digest.getBytes(StandardCharsets.UTF_8));
		}
		return new ZooKeeperClient(builder.build(), true, "at " + connection.connectString(), () -> servers, stores);
	}

	void start() {
		CuratorFrameworkState state = this.curator.getState();
		if (this.dedicated && state == CuratorFrameworkState.LATENT) {
			this.curator.start();
		}
		else if (state != CuratorFrameworkState.STARTED) {
			throw new StoreException(
					"The client of ZooKeeper is %s"
						.formatted((state == CuratorFrameworkState.LATENT) ? "not started" : "closed"),
					"Start the CuratorFramework bean where it is created, for example by initMethod = \"start\".",
					null);
		}
	}

	/** Return the connect string, maybe with a root path. */
	String address() {
		return this.curator.getZookeeperClient().getCurrentConnectionString();
	}

	/**
	 * Return the namespace of the application's client as a path, empty if there is none.
	 */
	String root() {
		String namespace = this.curator.getNamespace();
		return (namespace == null || namespace.isEmpty()) ? "" : "/" + namespace;
	}

	boolean isConnected() {
		return !this.closed && this.curator.getZookeeperClient().isConnected();
	}

	/**
	 * Wait for a connection.
	 * @return whether there is one
	 */
	boolean awaitConnection(Duration timeout) {
		try {
			return !this.closed && (isConnected()
					|| this.curator.blockUntilConnected((int) timeout.toMillis(), TimeUnit.MILLISECONDS));
		}
		catch (InterruptedException ex) {
			throw CallTimeout.interrupted("ZooKeeper", ex);
		}
	}

	/**
	 * Make sure that there are servers. Without a majority the start succeeds, as in a
	 * data centre everything may start at the same time.
	 * @return whether there is a connection
	 */
	boolean connect(Duration timeout) {
		if (awaitConnection(timeout)) {
			return true;
		}
		ServerCheck check = this.servers.get();
		ServerCheck.Finding finding = check.find();
		if (finding.state() == ServerCheck.State.SERVES && awaitConnection(timeout)) {
			return true;
		}
		if (finding.state() != ServerCheck.State.WAITS) {
			throw ZooKeeperFailures.of(finding, this.where, this.dedicated, check.hasKey());
		}
		logger.warn(
				"There is no majority of the ZooKeeper servers %s. The application starts nevertheless; no member leads until there is one"
					.formatted(this.where));
		return false;
	}

	/**
	 * Return the current session after waiting for a connection.
	 */
	ZooKeeperSession session(Duration timeout) {
		if (!awaitConnection(timeout)) {
			throw unreachable(null);
		}
		try {
			ZooKeeper handle = this.curator.getZookeeperClient().getZooKeeper();
			long id = handle.getSessionId();
			if (id != 0) {
				return new ZooKeeperSession(handle, id);
			}
		}
		catch (Exception ex) {
			throw unreachable(ex);
		}
		throw unreachable(null);
	}

	/**
	 * Give the connection up.
	 * @param endSession whether the session is ended at once, with its ephemeral nodes
	 */
	void close(boolean endSession) {
		this.closed = true;
		if (this.dedicated && this.curator.getState() == CuratorFrameworkState.STARTED) {
			if (!endSession) {
				leave();
			}
			this.curator.close();
		}
		if (this.tls != null) {
			this.tls.close();
		}
	}

	private void leave() {
		try {
			if (this.curator.getZookeeperClient().getZooKeeper() instanceof LeaderZooKeeper session) {
				session.leave();
			}
		}
		catch (Exception ex) {
			// There is no connection.
		}
	}

	private StoreException unreachable(@Nullable Exception cause) {
		return this.closed ? new StoreException("The client of ZooKeeper is closed", cause) : ZooKeeperFailures
			.of(new ServerCheck.Finding(ServerCheck.State.AWAY, cause), this.where, this.dedicated, false);
	}

}
