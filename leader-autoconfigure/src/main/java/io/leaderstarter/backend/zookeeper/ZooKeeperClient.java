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
 * Keeps a session, and makes a new one when it is lost. Curator does that; requests go
 * past it, as each of them has to know which session it went into.
 */
final class ZooKeeperClient implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(ZooKeeperClient.class);

	private static final Duration CLOSING = Duration.ofSeconds(2);

	private final CuratorFramework curator;

	private final boolean own;

	private final String where;

	private final Supplier<ServerCheck> servers;

	private final @Nullable TlsStores tls;

	private volatile boolean closed;

	private ZooKeeperClient(CuratorFramework curator, boolean own, String where, Supplier<ServerCheck> servers,
			@Nullable TlsStores tls) {
		this.curator = curator;
		this.own = own;
		this.where = where;
		this.servers = servers;
		this.tls = tls;
	}

	/** Uses a client that somebody else starts and closes. */
	static ZooKeeperClient using(CuratorFramework curator) {
		return new ZooKeeperClient(curator, false, "that the CuratorFramework bean is for", () -> check(curator), null);
	}

	/**
	 * Finds out from its client how somebody else speaks with the servers. Curator does
	 * not always give it away while there is no connection.
	 */
	private static ServerCheck check(CuratorFramework curator) {
		String servers = curator.getZookeeperClient().getCurrentConnectionString();
		try {
			ZKClientConfig configuration = curator.getZookeeperClient().getZooKeeper().getClientConfig();
			return new ServerCheck(servers,
					configuration.getBoolean(ZKClientConfig.SECURE_CLIENT) ? new ClientTls(configuration) : null);
		}
		catch (Exception ex) {
			logger.debug("It is not known whether the CuratorFramework bean speaks TLS", ex);
			return ServerCheck.withoutKnowingTls(servers);
		}
	}

	static ZooKeeperClient connecting(ZooKeeperConnection connection, Duration sessionTimeout,
			Duration connectionTimeout) {
		Supplier<ZooKeeperTls> tls = connection.tls();
		TlsStores stores = (tls != null) ? new TlsStores(tls) : null;
		ServerCheck servers = new ServerCheck(connection.connectString(), stores);
		CuratorFrameworkFactory.Builder builder = CuratorFrameworkFactory.builder()
			.connectString(connection.connectString())
			.sessionTimeoutMs((int) sessionTimeout.toMillis())
			.connectionTimeoutMs((int) connectionTimeout.toMillis())
			.retryPolicy(new RetryOneTime(1))
			.waitForShutdownTimeoutMs((int) CLOSING.toMillis())
			// Who put other addresses into the connect string had a reason.
			.ensembleTracker(false)
			.zookeeperFactory(LeaderZooKeeper.factory(servers, (stores != null) ? stores::refresh : () -> {
			}));
		String digest = connection.digest();
		if (digest != null) {
			builder.authorization("digest", digest.getBytes(StandardCharsets.UTF_8));
		}
		if (stores != null) {
			builder.zkClientConfig(stores.configuration());
		}
		return new ZooKeeperClient(builder.build(), true, "at " + connection.connectString(), () -> servers, stores);
	}

	void start() {
		CuratorFrameworkState state = this.curator.getState();
		if (this.own && state == CuratorFrameworkState.LATENT) {
			this.curator.start();
		}
		else if (state != CuratorFrameworkState.STARTED) {
			throw new ZooKeeperStoreException(
					"The client of ZooKeeper is %s"
						.formatted((state == CuratorFrameworkState.LATENT) ? "not started" : "closed"),
					"Start the CuratorFramework bean where it is made, for example by initMethod = \"start\".", null);
		}
	}

	/** The servers, maybe with the path that is the root for us. */
	String address() {
		return this.curator.getZookeeperClient().getCurrentConnectionString();
	}

	/** What people know the servers by. */
	String where() {
		return this.where;
	}

	/**
	 * The path that all others are below for the user's client, empty if there is none.
	 */
	String root() {
		String namespace = this.curator.getNamespace();
		return (namespace == null || namespace.isEmpty()) ? "" : "/" + namespace;
	}

	boolean isConnected() {
		return !this.closed && this.curator.getZookeeperClient().isConnected();
	}

	/**
	 * Waits for a connection.
	 * @return whether there is one
	 */
	boolean awaitConnection(Duration patience) {
		try {
			return !this.closed && (isConnected()
					|| this.curator.blockUntilConnected((int) patience.toMillis(), TimeUnit.MILLISECONDS));
		}
		catch (InterruptedException ex) {
			throw CallTimeout.interrupted("ZooKeeper", ex);
		}
	}

	/**
	 * Makes sure that there are servers. If only most of them are away, nobody here has
	 * to do something: who starts all of a data centre at once should not have to start
	 * this application twice.
	 * @return whether there is a connection
	 */
	boolean connect(Duration patience) {
		if (awaitConnection(patience)) {
			return true;
		}
		ServerCheck check = this.servers.get();
		ServerCheck.Finding finding = check.find();
		return switch (finding.state()) {
			case SERVES -> {
				if (!awaitConnection(patience)) {
					throw ZooKeeperFailures.noSession(this.where);
				}
				yield true;
			}
			case WAITS -> {
				logger.warn(
						"Most of the ZooKeeper servers %s are away. The application starts all the same; nobody leads until they are back"
							.formatted(this.where));
				yield false;
			}
			default -> throw ZooKeeperFailures.of(finding, this.where, this.own, check.hasKey());
		};
	}

	/**
	 * Returns the present session, waiting for a connection if need be.
	 */
	ZooKeeperSession session(Duration patience) {
		if (!awaitConnection(patience)) {
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

	/** Takes the session for expired. The servers keep it for its time. */
	void expire() {
		if (!this.closed) {
			session(Duration.ofSeconds(1)).handle().getTestable().injectSessionExpiration();
		}
	}

	/**
	 * Gives the connection up.
	 * @param endSession whether the session ends at once, and with it what it holds
	 */
	void close(boolean endSession) {
		this.closed = true;
		if (this.own && this.curator.getState() == CuratorFrameworkState.STARTED) {
			if (!endSession) {
				leave();
			}
			this.curator.close();
		}
		if (this.tls != null) {
			this.tls.close();
		}
	}

	@Override
	public void close() {
		close(true);
	}

	private void leave() {
		try {
			if (this.curator.getZookeeperClient().getZooKeeper() instanceof LeaderZooKeeper session) {
				session.leave();
			}
		}
		catch (Exception ex) {
			// There is no connection to leave.
		}
	}

	private StoreException unreachable(@Nullable Exception cause) {
		return this.closed ? new StoreException("The client of ZooKeeper is closed", cause) : ZooKeeperFailures
			.of(new ServerCheck.Finding(ServerCheck.State.AWAY, cause), this.where, this.own, false);
	}

}
