package io.leaderstarter.backend.zookeeper;

import java.time.Duration;
import java.util.Set;

import io.leaderstarter.election.spi.StoreException;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;

/**
 * Translates failures of ZooKeeper to exceptions with advice.
 */
final class ZooKeeperFailures {

	/** Advice if a connection was lost, or an answer is missing. */
	static final String UNANSWERED = "Check that most of the ZooKeeper servers run and see each other, and that the network keeps the connections to them.";

	private static final Set<Code> LOST = Set.of(Code.CONNECTIONLOSS, Code.OPERATIONTIMEOUT, Code.SESSIONEXPIRED,
			Code.SESSIONMOVED);

	private ZooKeeperFailures() {
	}

	static StoreException of(Code code, String what) {
		KeeperException cause = KeeperException.create(code);
		return switch (code) {
			case NOAUTH -> new StoreException("ZooKeeper denies this application access to " + what,
					"Check leader.zookeeper.auth.username and password, or those of the ZooKeeperLeaderConnectionDetails bean if there is one, or grant this application the permissions to read, write, create and delete there, or set leader.zookeeper.base-path to another path.",
					cause);
			case AUTHFAILED -> new StoreException("ZooKeeper does not accept the credentials of this application",
					"Check leader.zookeeper.auth.username and password, or those of the ZooKeeperLeaderConnectionDetails bean if there is one.",
					cause);
			case INVALIDACL -> new StoreException(
					"ZooKeeper cannot restrict %s to its creator, as this application is not authenticated"
						.formatted(what),
					"If the application defines the CuratorFramework bean, let it log in (authorization(\"digest\", ...) of its builder), or remove leader.zookeeper.auth.creator-only. With leader.zookeeper.connect-string, set leader.zookeeper.auth.username and password.",
					cause);
			case NONODE -> new StoreException("ZooKeeper has no node for " + what,
					"Create the path that follows the hosts in leader.zookeeper.connect-string, or remove it there. If nodes of the election were deleted, restart the application.",
					cause);
			case UNIMPLEMENTED -> new StoreException(
					"ZooKeeper does not support a request that elections need: the server is older than 3.6",
					"Update all ZooKeeper servers to 3.6 or later, or set leader.backend to another backend.", cause);
			case CONNECTIONLOSS, OPERATIONTIMEOUT, SESSIONEXPIRED, SESSIONMOVED ->
				new StoreException("ZooKeeper failed: " + code, UNANSWERED, cause);
			default -> new StoreException("ZooKeeper failed: " + code, cause);
		};
	}

	/** Whether the same request may succeed on the next connection. */
	static boolean isLostConnection(StoreException failure) {
		return failure.getCause() instanceof KeeperException cause && LOST.contains(cause.code());
	}

	/**
	 * Return why there is no connection, and what to do.
	 * @param finding the result of a check of the servers
	 * @param where the name of the servers in messages
	 * @param dedicated whether the connection is configured by properties, not by a bean
	 * @param hasKey whether there is a key for the authentication of the client
	 */
	static StoreException of(ServerCheck.Finding finding, String where, boolean dedicated, boolean hasKey) {
		String reason = (finding.cause() != null) ? String.valueOf(finding.cause().getMessage()) : "nothing";
		String servers = dedicated ? "leader.zookeeper.connect-string"
				: "the connect string of the CuratorFramework bean";
		String keys = dedicated ? "the bundle that leader.zookeeper.ssl.bundle names"
				: "the ZKClientConfig of the CuratorFramework bean";
		return switch (finding.state()) {
			case NO_ZOOKEEPER -> new StoreException(
					"The server %s accepted the connection but did not speak the ZooKeeper protocol".formatted(where),
					"Check that %s has the ports for clients. If those are for TLS, %s.".formatted(servers, dedicated
							? "set leader.zookeeper.ssl.bundle, or let the ZooKeeperLeaderConnectionDetails bean supply a bundle if there is one"
							: "give the CuratorFramework bean a ZKClientConfig for TLS"),
					finding.cause());
			case WITHOUT_TLS -> new StoreException(
					"The server %s accepted the connection but did not speak TLS: %s".formatted(where, reason),
					"Check that %s has the ports for TLS (secureClientPort of the servers), or %s.".formatted(servers,
							dedicated ? "remove leader.zookeeper.ssl.bundle"
									: "remove zookeeper.client.secure from the ZKClientConfig of the bean"),
					finding.cause());
			case UNTRUSTED -> new StoreException(
					"The certificate of ZooKeeper %s is not trusted: %s".formatted(where, reason),
					"Add the authority that signed it to the trust store of %s, and use the names in the certificate in %s."
						.formatted(keys, servers),
					finding.cause());
			case REFUSES -> hasKey ? new StoreException(
					"ZooKeeper %s does not accept the certificate of this application: %s".formatted(where, reason),
					"Let the servers trust the authority that signed the certificate in %s, or put another one there."
						.formatted(keys),
					finding.cause())
					: new StoreException(
							"ZooKeeper %s asks for a certificate, and this application has none: %s".formatted(where,
									reason),
							"Add a key store with a key and a certificate that the servers trust to %s."
								.formatted(keys),
							finding.cause());
			case SERVES -> new StoreException(
					"The ZooKeeper servers %s work, but do not create a session".formatted(where),
					"Check their logs. They may have too many connections from this host (maxClientCnxns), or require another authentication.",
					finding.cause());
			default -> new StoreException(
					"There is no connection to ZooKeeper %s, or no majority of its servers".formatted(where),
					"Make ZooKeeper reachable for this application and check %s.".formatted(servers), finding.cause());
		};
	}

	static StoreException unusableKeys(Exception cause) {
		return new StoreException("The keys for ZooKeeper cannot be used: %s".formatted(cause.getMessage()),
				"Check the bundle that leader.zookeeper.ssl.bundle names, and its passwords. Its keys must be exportable from their store, and the folder for temporary files must be writable.",
				cause);
	}

	static StoreException timeoutTooShort(Duration negotiated, Duration ttl) {
		return new StoreException(
				"ZooKeeper keeps a session only for %d ms, but leader.lease.ttl is %d ms"
					.formatted(negotiated.toMillis(), ttl.toMillis()),
				"Raise maxSessionTimeout of the ZooKeeper servers (20 ticks if it is not set), or lower leader.lease.ttl to %d ms. If the application defines the CuratorFramework bean, raise its session timeout."
					.formatted(negotiated.toMillis()),
				null);
	}

}
