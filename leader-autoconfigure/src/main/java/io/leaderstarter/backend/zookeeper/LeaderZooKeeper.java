package io.leaderstarter.backend.zookeeper;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Collection;

import io.leaderstarter.election.spi.Moment;
import io.leaderstarter.election.spi.TimeSource;
import org.apache.curator.utils.ZookeeperFactory;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ConnectStringParser;
import org.apache.zookeeper.client.HostProvider;
import org.apache.zookeeper.client.StaticHostProvider;
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

	private LeaderZooKeeper(Moment createdAfter, String connectString, int sessionTimeout, Watcher watcher,
			ZKClientConfig config, Runnable beforeConnecting) throws IOException {
		super(connectString, sessionTimeout, watcher, false,
				new LeavableServers(new StaticHostProvider(new ConnectStringParser(connectString).getServerAddresses()),
						beforeConnecting),
				config);
		this.createdAfter = createdAfter;
		this.connectString = connectString;
	}

	static ZookeeperFactory factory(ServerCheck servers, ZKClientConfig config, Runnable beforeConnecting) {
		return (connectString, sessionTimeout, watcher, canBeReadOnly) -> {
			LeaderZooKeeper session = new LeaderZooKeeper(TimeSource.SYSTEM.now(), connectString, sessionTimeout,
					watcher, config, beforeConnecting);
			new ServerPulse(session, servers, sessionTimeout).start();
			return session;
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

	/**
	 * The servers of a client. Every update of the list, even without a change, makes the
	 * client reconnect to another server.
	 */
	private record LeavableServers(HostProvider servers, Runnable beforeConnecting) implements HostProvider {

		@Override
		public int size() {
			return this.servers.size();
		}

		@Override
		public InetSocketAddress next(long spinDelay) {
			this.beforeConnecting.run();
			return this.servers.next(spinDelay);
		}

		@Override
		public void onConnected() {
			this.servers.onConnected();
		}

		@Override
		public boolean updateServerList(Collection<InetSocketAddress> servers, InetSocketAddress present) {
			return true;
		}

	}

}
