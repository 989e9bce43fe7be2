package io.leaderstarter.scale;

import java.time.Duration;
import java.util.List;

import io.leaderstarter.backend.etcd.EtcdConnection;
import io.leaderstarter.backend.etcd.EtcdLeaseProperties;
import io.leaderstarter.backend.etcd.EtcdLeaseStoreFactory;
import io.leaderstarter.election.spi.LeaseStoreFactory;
import io.leaderstarter.testsupport.EtcdCluster;

/**
 * Three etcd servers as processes.
 */
final class EtcdServers implements Coordinator {

	private final EtcdCluster cluster = EtcdCluster.of(3);

	String version() {
		return this.cluster.version();
	}

	@Override
	public LeaseStoreFactory stores() {
		return EtcdLeaseStoreFactory.connecting(new EtcdConnection(this.cluster.addresses(), null, null, null),
				new EtcdLeaseProperties("/leader", Duration.ofSeconds(20)));
	}

	@Override
	public List<String> properties() {
		return List.of("--leader.backend=etcd", "--leader.etcd.endpoints=" + String.join(",", this.cluster.endpoints()),
				"--spring.autoconfigure.exclude=org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration");
	}

	@Override
	public long requests() {
		return this.cluster.requests("LeaseKeepAlive") + this.cluster.requests("Range");
	}

	/**
	 * A keep-alive and a read, and now and then a keep-alive and a read of the members.
	 */
	@Override
	public double requestsForRenewal() {
		return 3;
	}

	/** etcd checks for leases that have run out twice a second. */
	@Override
	public Duration longestDelay() {
		return Duration.ofSeconds(1);
	}

	@Override
	public void stop(int position) {
		this.cluster.kill(position);
	}

	@Override
	public void close() {
		this.cluster.close();
	}

}
