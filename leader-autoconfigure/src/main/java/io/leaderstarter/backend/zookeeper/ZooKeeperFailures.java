package io.leaderstarter.backend.zookeeper;

import java.time.Duration;

import io.leaderstarter.election.spi.StoreException;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;

/**
 * Says what ZooKeeper's answers mean and what to do about them.
 */
final class ZooKeeperFailures {

	private ZooKeeperFailures() {
	}

	static StoreException of(Code code, String what) {
		KeeperException cause = KeeperException.create(code);
		return switch (code) {
			case NOAUTH -> new ZooKeeperStoreException("ZooKeeper denies this application access to " + what,
					"Check leader.zookeeper.auth.username and password, or let somebody who may give this application the permissions to read, write, create and delete there, or set leader.zookeeper.base-path to a place of its own.",
					cause);
			case AUTHFAILED -> new ZooKeeperStoreException("ZooKeeper does not know who this application is",
					"Check leader.zookeeper.auth.username and password.", cause);
			case NONODE -> new ZooKeeperStoreException("ZooKeeper has no node for " + what,
					"Create the path that stands behind the hosts in leader.zookeeper.connect-string, or leave it out there. If somebody deleted nodes of the election, restart it.",
					cause);
			default -> new StoreException("ZooKeeper failed: " + code, cause);
		};
	}

	static StoreException mute(String where) {
		return new ZooKeeperStoreException(
				"What takes connections %s ends them without a word that ZooKeeper says".formatted(where),
				"Check that leader.zookeeper.connect-string has the ports for clients, and those without TLS.", null);
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
