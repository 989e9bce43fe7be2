package io.leaderstarter.backend.zookeeper;

import java.net.InetSocketAddress;
import java.util.Collection;

import org.apache.zookeeper.client.ConnectStringParser;
import org.apache.zookeeper.client.HostProvider;
import org.apache.zookeeper.client.StaticHostProvider;

/**
 * The servers of a client. Every update of the list, even without a change, makes the
 * client reconnect to another server.
 */
final class LeavableServers implements HostProvider {

	private final HostProvider servers;

	private final Runnable beforeConnecting;

	LeavableServers(String connectString, Runnable beforeConnecting) {
		this.beforeConnecting = beforeConnecting;
		this.servers = new StaticHostProvider(new ConnectStringParser(connectString).getServerAddresses());
	}

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
