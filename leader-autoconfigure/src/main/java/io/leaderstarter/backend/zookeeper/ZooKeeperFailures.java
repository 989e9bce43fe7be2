package io.leaderstarter.backend.zookeeper;

import java.time.Duration;

import io.leaderstarter.election.spi.StoreException;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;

/**
 * Says what ZooKeeper's answers mean and what to do about them.
 */
final class ZooKeeperFailures {

	/** The connection was there, but not for long enough. */
	static final String UNANSWERED = "Check that most of the ZooKeeper servers run and see each other, and that the network keeps the connections to them.";

	private ZooKeeperFailures() {
	}

	static StoreException of(Code code, String what) {
		KeeperException cause = KeeperException.create(code);
		return switch (code) {
			case NOAUTH -> new ZooKeeperStoreException("ZooKeeper denies this application access to " + what,
					"Check leader.zookeeper.auth.username and password, or those of the ZooKeeperLeaderConnectionDetails bean if there is one, or let somebody who may give this application the permissions to read, write, create and delete there, or set leader.zookeeper.base-path to a place of its own.",
					cause);
			case AUTHFAILED -> new ZooKeeperStoreException("ZooKeeper does not know who this application is",
					"Check leader.zookeeper.auth.username and password, or those of the ZooKeeperLeaderConnectionDetails bean if there is one.",
					cause);
			case INVALIDACL -> new ZooKeeperStoreException(
					"ZooKeeper cannot keep %s for its creator, as nobody logged in".formatted(what),
					"If the CuratorFramework bean is your own, let it log in (authorization(\"digest\", ...) of its builder), or remove leader.zookeeper.auth.creator-only. With leader.zookeeper.connect-string, set leader.zookeeper.auth.username and password.",
					cause);
			case NONODE -> new ZooKeeperStoreException("ZooKeeper has no node for " + what,
					"Create the path that stands behind the hosts in leader.zookeeper.connect-string, or leave it out there. If somebody deleted nodes of the election, restart it.",
					cause);
			case UNIMPLEMENTED -> new ZooKeeperStoreException(
					"ZooKeeper does not know a request that elections need: the server is older than 3.6",
					"Update all ZooKeeper servers to 3.6 or later, or set leader.backend to another backend.", cause);
			case CONNECTIONLOSS, OPERATIONTIMEOUT, SESSIONEXPIRED, SESSIONMOVED ->
				new StoreException("ZooKeeper failed: " + code, UNANSWERED, cause);
			default -> new StoreException("ZooKeeper failed: " + code, cause);
		};
	}

	/**
	 * Why no server can be talked to, and what to do.
	 * @param finding what was found out of the servers
	 * @param where what people know them by
	 * @param own whether the connection is by our properties, not by a bean
	 * @param hasKey whether the servers can know us by a key
	 */
	static StoreException of(ServerCheck.Finding finding, String where, boolean own, boolean hasKey) {
		String said = (finding.cause() != null) ? String.valueOf(finding.cause().getMessage()) : "nothing";
		String servers = own ? "leader.zookeeper.connect-string" : "the connect string of the CuratorFramework bean";
		String keys = own ? "the bundle that leader.zookeeper.ssl.bundle names"
				: "the ZKClientConfig of the CuratorFramework bean";
		return switch (finding.state()) {
			case MUTE -> new ZooKeeperStoreException(
					"What takes connections %s ends them without a word that ZooKeeper says".formatted(where),
					"Check that %s has the ports for clients. If those are for TLS, %s.".formatted(servers, own
							? "set leader.zookeeper.ssl.bundle, or let the ZooKeeperLeaderConnectionDetails bean supply a bundle if there is one"
							: "give the CuratorFramework bean a ZKClientConfig for TLS"),
					finding.cause());
			case WITHOUT_TLS -> new ZooKeeperStoreException(
					"What takes connections %s does not speak TLS with us: %s".formatted(where, said),
					"Check that %s has the ports for TLS (secureClientPort of the servers), or %s.".formatted(servers,
							own ? "remove leader.zookeeper.ssl.bundle"
									: "remove zookeeper.client.secure from the ZKClientConfig of the bean"),
					finding.cause());
			case UNTRUSTED -> new ZooKeeperStoreException(
					"The certificate of ZooKeeper %s is not trusted: %s".formatted(where, said),
					"Add the authority that signed it to the trust store of %s, and use the names in the certificate in %s."
						.formatted(keys, servers),
					finding.cause());
			case REFUSES -> hasKey ? new ZooKeeperStoreException(
					"ZooKeeper %s does not accept the certificate of this application: %s".formatted(where, said),
					"Let the servers trust the authority that signed the certificate in %s, or put another one there."
						.formatted(keys),
					finding.cause())
					: new ZooKeeperStoreException(
							"ZooKeeper %s asks for a certificate, and this application has none: %s".formatted(where,
									said),
							"Add a key store with a key and a certificate that the servers trust to %s."
								.formatted(keys),
							finding.cause());
			default -> new ZooKeeperStoreException(
					"There is no connection to ZooKeeper %s, or most of its servers are away".formatted(where),
					"Make ZooKeeper reachable for this application and check %s.".formatted(servers), finding.cause());
		};
	}

	static StoreException unusableKeys(Exception cause) {
		return new ZooKeeperStoreException("The keys for ZooKeeper cannot be used: %s".formatted(cause.getMessage()),
				"Check the bundle that leader.zookeeper.ssl.bundle names, and its passwords. Its keys must be such that they can be taken out of their store, and the folder for temporary files must be writable.",
				cause);
	}

	static StoreException noSession(String where) {
		return new ZooKeeperStoreException("The ZooKeeper servers %s work, but give us no session".formatted(where),
				"Look into their logs. They may have too many connections from here (maxClientCnxns), or ask for an authentication that this application does not have.",
				null);
	}

	static StoreException timeoutTooShort(Duration negotiated, Duration ttl) {
		return new ZooKeeperStoreException(
				"ZooKeeper keeps a session only for %d ms, but leader.lease.ttl is %d ms"
					.formatted(negotiated.toMillis(), ttl.toMillis()),
				"Raise maxSessionTimeout of the ZooKeeper servers (20 ticks if it is not set), or lower leader.lease.ttl to %d ms. If the CuratorFramework bean is your own, raise its session timeout."
					.formatted(negotiated.toMillis()),
				null);
	}

}
