package io.leaderstarter.backend.etcd;

import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.etcd.jetcd.Client;
import io.etcd.jetcd.ClientBuilder;
import io.leaderstarter.election.spi.Platform;
import io.leaderstarter.election.spi.StoreException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the server that requests are sent to, and changes to the next one when it does
 * not answer.
 * <p>
 * One client for all servers would keep sending requests to a frozen one: gRPC checks
 * connections every ten seconds at the most. It would also wait for up to two minutes
 * before it reconnects to servers that were unreachable for long. So there is a client
 * for one server at a time, and a new one after each failure.
 */
final class EtcdServers implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(EtcdServers.class);

	private static final Duration CLOSING = Duration.ofSeconds(2);

	private static final Duration CONNECTING = Duration.ofSeconds(2);

	/** Only for the watch, as requests have a time-out. */
	private static final Duration PING = Duration.ofSeconds(10);

	/**
	 * The delay before the client of a server that did not answer is closed. The client
	 * sees the same failure meanwhile, and would log an error if it could not restart its
	 * watch.
	 */
	private static final int LINGER_MILLIS = 100;

	private static final int MOST_BYTES = 16 * 1024 * 1024;

	private final @Nullable EtcdConnection connection;

	private final ThreadPoolExecutor executor = new ThreadPoolExecutor(1, 1, 30, TimeUnit.SECONDS,
			new LinkedBlockingQueue<>(), (task) -> Platform.thread("leader-etcd", task),
			// A notification after the end is of no use.
			new ThreadPoolExecutor.DiscardPolicy());

	private final Set<Client> left = ConcurrentHashMap.newKeySet();

	private @Nullable EtcdServer present;

	private int position;

	private boolean closed;

	private EtcdServers(@Nullable EtcdConnection connection, @Nullable EtcdServer present) {
		this.connection = connection;
		this.present = present;
		this.executor.allowCoreThreadTimeOut(true);
		// So that not all members use the same server.
		this.position = ThreadLocalRandom.current().nextInt(count());
	}

	/** Use a client of the application, which closes it. */
	static EtcdServers using(Client client) {
		return new EtcdServers(null, new EtcdServer(client, "that the Client bean is for", null));
	}

	static EtcdServers connecting(EtcdConnection connection) {
		return new EtcdServers(connection, null);
	}

	int count() {
		return (this.connection != null) ? this.connection.endpoints().size() : 1;
	}

	/** Return the endpoints, empty for the client of the application. */
	String addresses() {
		return (this.connection != null) ? String.join(",", this.connection.endpoints()) : "";
	}

	/**
	 * Return the current server.
	 * @throws StoreException if this was closed
	 */
	synchronized EtcdServer present() {
		if (this.closed) {
			throw new StoreException("The client of etcd is closed", null);
		}
		EtcdServer server = this.present;
		if (server == null) {
			server = connect(Objects.requireNonNull(this.connection));
			this.present = server;
		}
		return server;
	}

	/** Send the next requests to another server, if there is one. */
	void leave(EtcdServer server) {
		synchronized (this) {
			if (this.connection == null || this.present != server) {
				return;
			}
			this.present = null;
			this.position = (this.position + 1) % count();
			this.left.add(server.client());
		}
		CompletableFuture.delayedExecutor(LINGER_MILLIS, TimeUnit.MILLISECONDS, this.executor)
			.execute(() -> closeLeft(server.client()));
	}

	private void closeLeft(Client client) {
		if (this.left.remove(client)) {
			try {
				client.close();
			}
			catch (RuntimeException ex) {
				logger.debug("A client of etcd did not close", ex);
			}
		}
	}

	@Override
	public void close() {
		synchronized (this) {
			if (this.closed) {
				return;
			}
			this.closed = true;
			if (this.present != null && this.connection != null) {
				this.left.add(this.present.client());
			}
			this.present = null;
		}
		// By the thread that notifies watches: one that fails while another thread closes
		// its client logs an error.
		this.executor.execute(() -> this.left.forEach(this::closeLeft));
		this.executor.shutdown();
		try {
			if (!this.executor.awaitTermination(CLOSING.toMillis(), TimeUnit.MILLISECONDS)) {
				logger.debug("The clients of etcd were not closed in time");
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private EtcdServer connect(EtcdConnection connection) {
		String endpoint = connection.endpoints().get(this.position);
		// A URI, whose path must not contain the brackets of IPv6.
		String target = "dns:///" + endpoint.replace("[", "%5B").replace("]", "%5D");
		return new EtcdServer(builder(connection).target(target).build(), "at " + endpoint, target);
	}

	private ClientBuilder builder(EtcdConnection connection) {
		ClientBuilder builder = Client.builder()
			// Fail at once if a server is unreachable.
			.waitForReady(false)
			.connectTimeout(CONNECTING)
			.loadBalancerPolicy("pick_first")
			// Once, for a new token when the old one has expired.
			.retryMaxAttempts(1)
			.retryDelay(10)
			.retryMaxDelay(100)
			.keepaliveTime(PING)
			.keepaliveTimeout(CONNECTING)
			.keepaliveWithoutCalls(false)
			.maxInboundMessageSize(MOST_BYTES)
			.executorService(this.executor);
		if (connection.username() != null && connection.password() != null) {
			builder.user(EtcdKeys.bytes(connection.username())).password(EtcdKeys.bytes(connection.password()));
		}
		if (connection.ssl() != null) {
			// For each client, as the keys may have been replaced.
			builder.sslContext(connection.ssl().get());
		}
		return builder;
	}

}
