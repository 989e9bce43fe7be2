package io.leaderstarter.backend.zookeeper;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

import io.leaderstarter.Leadership;
import io.leaderstarter.LeadershipListener;
import io.leaderstarter.Member;
import io.leaderstarter.RevocationReason;
import io.leaderstarter.election.DefaultLeaderElections;
import io.leaderstarter.election.ElectionSettings;
import io.leaderstarter.election.LeaseTiming;
import io.leaderstarter.election.spi.Moment;
import io.leaderstarter.election.spi.StoreIdentity;
import io.leaderstarter.election.spi.TermGate;
import io.leaderstarter.election.spi.TimeSource;
import io.leaderstarter.testsupport.ZooKeeperEnsemble;

/**
 * A member that stands for roles over ZooKeeper, and notes when its terms begin and end.
 */
final class ZooKeeperMember implements AutoCloseable {

	static final Duration TTL = Duration.ofSeconds(4);

	final ZooKeeperLeaseStore store;

	final DefaultLeaderElections elections;

	final AtomicReference<Moment> granted = new AtomicReference<>();

	final AtomicReference<Moment> revoked = new AtomicReference<>();

	private ZooKeeperMember(String connectString, String basePath, String... roles) {
		Member member = Member.start("node", Map.of());
		this.store = (ZooKeeperLeaseStore) ZooKeeperLeaseStoreFactory
			.connecting(new ZooKeeperConnection(connectString, null),
					new ZooKeeperLeaseProperties(basePath, ZooKeeperEnsemble.TICK, Duration.ofSeconds(20), false))
			.create(new StoreIdentity("faults", member.id(), TTL));
		this.elections = new DefaultLeaderElections(member, this.store, TermGate.OPEN,
				new ElectionSettings(LeaseTiming.of(TTL, null, null, null), Duration.ofSeconds(5), (role) -> true),
				TimeSource.SYSTEM);
		this.elections.addListener(new LeadershipListener() {

			@Override
			public void onGranted(Leadership leadership) {
				ZooKeeperMember.this.granted.set(TimeSource.SYSTEM.now());
			}

			@Override
			public void onRevoked(Leadership leadership, RevocationReason reason) {
				ZooKeeperMember.this.revoked.set(TimeSource.SYSTEM.now());
			}

		});
		for (String role : roles) {
			this.elections.join(role);
		}
	}

	static ZooKeeperMember start(String connectString, String basePath, String... roles) {
		ZooKeeperMember member = new ZooKeeperMember(connectString, basePath, roles);
		member.elections.start();
		member.elections.stand();
		return member;
	}

	boolean leads(String role) {
		return this.elections.election(role).isLeader();
	}

	long epoch(String role) {
		return this.elections.status(role).epoch();
	}

	boolean answers() {
		return this.elections.storeStatus().failure() == null;
	}

	@Override
	public void close() {
		this.elections.stop();
		this.store.close();
	}

}
