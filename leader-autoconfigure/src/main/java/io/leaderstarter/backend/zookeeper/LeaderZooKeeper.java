package io.leaderstarter.backend.zookeeper;

import java.io.IOException;
import java.net.InetSocketAddress;

import io.leaderstarter.election.spi.Moment;
import io.leaderstarter.election.spi.TimeSource;
import org.apache.curator.utils.ZookeeperFactory;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.jspecify.annotations.Nullable;

/**
 * A dedicated session. It knows an instant before its creation, can leave a server that
 * does not answer, and can be closed without being ended in the servers.
 */
@SuppressWarnings("try")
final class LeaderZooKeeper extends ZooKeeper {

	private final Moment createdAfter;

	private final String connectString;

	private LeaderZooKeeper(String connectString, int sessionTimeout, Watcher watcher, ZKClientConfig config,
			Runnable beforeConnecting) throws IOException {
		this(TimeSource.SYSTEM.now(), connectString, sessionTimeout, watcher, config, beforeConnecting);
	}

	private LeaderZooKeeper(Moment createdAfter, String connectString, int sessionTimeout, Watcher watcher,
			ZKClientConfig config, Runnable beforeConnecting) throws IOException {
		super(connectString, sessionTimeout, watcher, false, new LeavableServers(connectString, beforeConnecting),
				config);
		this.createdAfter = createdAfter;
		this.connectString = connectString;
	}

	static ZookeeperFactory factory(ServerCheck servers, Runnable beforeConnecting) {
		return new ZookeeperFactory() {

			@Override
			public ZooKeeper newZooKeeper(String connectString, int sessionTimeout, Watcher watcher,
					boolean canBeReadOnly) throws Exception {
				return newZooKeeper(connectString, sessionTimeout, watcher, canBeReadOnly, new ZKClientConfig());
			}

			@Override
			public ZooKeeper newZooKeeper(String connectString, int sessionTimeout, Watcher watcher,
					boolean canBeReadOnly, ZKClientConfig config) throws Exception {
				LeaderZooKeeper session = new LeaderZooKeeper(connectString, sessionTimeout, watcher, config,
						beforeConnecting);
				new ServerPulse(session, servers, sessionTimeout).start();
				return session;
			}

		};
	}

	/** Return a moment before the servers created the session. */
	Moment createdAfter() {
		return this.createdAfter;
	}

	/** Return the current server, {@code null} if there is none. */
	@Nullable InetSocketAddress server() {
		return (testableRemoteSocketAddress() instanceof InetSocketAddress server) ? server : null;
	}

	/**
	 * End the connection to the current server, so that the session continues with
	 * another one.
	 */
	void leaveServer() throws IOException {
		updateServerList(this.connectString);
	}

	/**
	 * End the connection but not the session, so that its leases expire.
	 */
	void leave() {
		this.cnxn.disconnect();
	}

}
