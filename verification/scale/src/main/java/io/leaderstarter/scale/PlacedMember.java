package io.leaderstarter.scale;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

import io.leaderstarter.LeaderElection;
import io.leaderstarter.Leadership;
import io.leaderstarter.LeadershipListener;
import io.leaderstarter.Member;
import io.leaderstarter.RevocationReason;
import io.leaderstarter.backend.jdbc.JdbcLeaseProperties;
import io.leaderstarter.backend.jdbc.JdbcLeaseStoreFactory;
import io.leaderstarter.election.DefaultLeaderElections;
import io.leaderstarter.election.ElectionSettings;
import io.leaderstarter.election.membership.Placement;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.StoreIdentity;
import io.leaderstarter.election.spi.TermGate;
import io.leaderstarter.election.spi.TimeSource;
import io.leaderstarter.election.state.LeaseTiming;
import io.leaderstarter.jdbc.SchemaInitialization;
import io.leaderstarter.jdbc.SchemaSettings;

/**
 * One member among which roles are spread.
 */
final class PlacedMember implements AutoCloseable {

	private final LeaseStore store;

	private final DefaultLeaderElections elections;

	private final AtomicInteger terms = new AtomicInteger();

	PlacedMember(DataSource dataSource, String name, Duration ttl, int roles) {
		Member member = Member.start(name, Map.of());
		this.store = new JdbcLeaseStoreFactory(() -> dataSource, new JdbcLeaseProperties(
				new SchemaSettings("leader_", SchemaInitialization.ALWAYS, null), Duration.ofMillis(250)))
			.create(new StoreIdentity("placement", member.id(), ttl));
		this.elections = new DefaultLeaderElections(
				member, this.store, TermGate.OPEN, new ElectionSettings(LeaseTiming.of(ttl, null, null),
						Duration.ofSeconds(30), Placement.SPREAD, (role) -> ElectionSettings.Role.DEFAULT),
				TimeSource.SYSTEM);
		this.elections.addListener(new LeadershipListener() {

			@Override
			public void onGranted(Leadership leadership) {
				PlacedMember.this.terms.incrementAndGet();
			}

			@Override
			public void onRevoked(Leadership leadership, RevocationReason reason) {
				// Only what begins is counted.
			}

		});
		for (int i = 0; i < roles; i++) {
			this.elections.join("role-" + i);
		}
	}

	void start() {
		this.elections.start();
		this.elections.compete();
	}

	List<String> led() {
		return this.elections.all().stream().filter(LeaderElection::isLeader).map(LeaderElection::role).toList();
	}

	int termsSinceAsked() {
		return this.terms.getAndSet(0);
	}

	/** Leaves its leases and its row behind, as a process that is killed. */
	void crash() {
		this.store.close();
	}

	@Override
	public void close() {
		this.elections.stop();
		this.store.close();
	}

}
