package io.leaderstarter.backend.etcd;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

import io.leaderstarter.Leadership;
import io.leaderstarter.LeadershipListener;
import io.leaderstarter.Member;
import io.leaderstarter.RevocationReason;
import io.leaderstarter.election.DefaultLeaderElections;
import io.leaderstarter.election.ElectionSettings;
import io.leaderstarter.election.spi.Moment;
import io.leaderstarter.election.spi.StoreIdentity;
import io.leaderstarter.election.spi.TermGate;
import io.leaderstarter.election.spi.TimeSource;
import io.leaderstarter.election.state.LeaseTiming;

/**
 * A member that competes for roles over etcd, and records when its terms begin and end.
 */
final class EtcdMember implements AutoCloseable {

	static final Duration TTL = Duration.ofSeconds(4);

	final EtcdLeaseStore store;

	final DefaultLeaderElections elections;

	final AtomicReference<Moment> granted = new AtomicReference<>();

	final AtomicReference<Moment> revoked = new AtomicReference<>();

	private EtcdMember(List<String> addresses, String prefix, LeaseTiming timing, String... roles) {
		Member member = Member.start("node", Map.of());
		this.store = (EtcdLeaseStore) EtcdLeaseStoreFactory
			.connecting(new EtcdConnection(addresses, null, null, null),
					new EtcdLeaseProperties(prefix, Duration.ofSeconds(20)))
			.create(new StoreIdentity("faults", member.id(), timing.ttl()));
		this.elections = new DefaultLeaderElections(member, this.store, TermGate.OPEN,
				new ElectionSettings(timing, Duration.ofSeconds(5)), TimeSource.SYSTEM);
		this.elections.addListener(new LeadershipListener() {

			@Override
			public void onGranted(Leadership leadership) {
				EtcdMember.this.granted.set(TimeSource.SYSTEM.now());
			}

			@Override
			public void onRevoked(Leadership leadership, RevocationReason reason) {
				EtcdMember.this.revoked.set(TimeSource.SYSTEM.now());
			}

		});
		for (String role : roles) {
			this.elections.join(role);
		}
	}

	static EtcdMember start(List<String> addresses, String prefix, Duration ttl, String... roles) {
		return start(addresses, prefix, LeaseTiming.of(ttl, null, null), roles);
	}

	static EtcdMember start(List<String> addresses, String prefix, LeaseTiming timing, String... roles) {
		EtcdMember member = new EtcdMember(addresses, prefix, timing, roles);
		member.elections.start();
		member.elections.compete();
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
