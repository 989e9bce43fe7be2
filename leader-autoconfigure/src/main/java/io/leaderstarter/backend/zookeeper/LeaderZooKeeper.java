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
 * A session of our own. It knows since when it can exist at the most, leaves a server
 * that does not answer, and can be left without being ended.
 */
@SuppressWarnings("try")
final class LeaderZooKeeper extends ZooKeeper {

	private final Moment bornAfter;

	private final String connectString;

	private LeaderZooKeeper(String connectString, int sessionTimeout, Watcher watcher, ZKClientConfig config,
			Runnable beforeConnecting) throws IOException {
		this(TimeSource.SYSTEM.now(), connectString, sessionTimeout, watcher, config, beforeConnecting);
	}

	private LeaderZooKeeper(Moment bornAfter, String connectString, int sessionTimeout, Watcher watcher,
			ZKClientConfig config, Runnable beforeConnecting) throws IOException {
		super(connectString, sessionTimeout, watcher, false, new LeavableServers(connectString, beforeConnecting),
				config);
		this.bornAfter = bornAfter;
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

	/** A moment before the servers made the session. */
	Moment bornAfter() {
		return this.bornAfter;
	}

	/** The server that it talks to, {@code null} if there is none at present. */
	@Nullable InetSocketAddress server() {
		return (testableRemoteSocketAddress() instanceof InetSocketAddress server) ? server : null;
	}

	/** Ends the connection to the present server, so that the session goes to another. */
	void leaveServer() throws IOException {
		updateServerList(this.connectString);
	}

	/**
	 * Ends the connection but not the session, so that its leases run out by themselves.
	 */
	void leave() {
		this.cnxn.disconnect();
	}

}
