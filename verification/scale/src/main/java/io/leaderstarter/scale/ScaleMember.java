package io.leaderstarter.scale;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.UnaryOperator;

import javax.sql.DataSource;

import io.leaderstarter.LeaderElection;
import io.leaderstarter.Member;
import io.leaderstarter.backend.jdbc.JdbcLeaseProperties;
import io.leaderstarter.backend.jdbc.JdbcLeaseStoreFactory;
import io.leaderstarter.election.DefaultLeaderElections;
import io.leaderstarter.election.ElectionSettings;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.LeaseStoreFactory;
import io.leaderstarter.election.spi.StoreIdentity;
import io.leaderstarter.election.spi.TermGate;
import io.leaderstarter.election.spi.TimeSource;
import io.leaderstarter.election.state.LeaseTiming;
import io.leaderstarter.jdbc.SchemaInitialization;
import io.leaderstarter.jdbc.SchemaSettings;

/**
 * One member with the default times.
 */
final class ScaleMember implements AutoCloseable {

	static final LeaseTiming TIMING = LeaseTiming.of(Duration.ofSeconds(15), null, null);

	private final LeaseStore store;

	private final DefaultLeaderElections elections;

	private final AtomicInteger renewals = new AtomicInteger();

	private final AtomicInteger failedRenewals = new AtomicInteger();

	private volatile Duration longestRenewal = Duration.ZERO;

	ScaleMember(DataSource dataSource, String namespace, int roles) {
		this((identity) -> new JdbcLeaseStoreFactory(() -> dataSource, new JdbcLeaseProperties(
				new SchemaSettings("leader_", SchemaInitialization.ALWAYS, null), Duration.ofMillis(500)))
			.create(identity), TIMING, namespace, roles);
	}

	ScaleMember(LeaseStoreFactory stores, UnaryOperator<LeaseStore> adapter, String namespace, int roles) {
		this((identity) -> adapter.apply(stores.create(identity)),
				LeaseTiming.of(TIMING.ttl(), TIMING.ttl().dividedBy(stores.renewalsPerTtl()), null), namespace, roles);
	}

	private ScaleMember(Function<StoreIdentity, LeaseStore> store, LeaseTiming timing, String namespace, int roles) {
		Member member = Member.start("scale", Map.of());
		this.store = store.apply(new StoreIdentity(namespace, member.id(), TIMING.ttl()));
		this.elections = new DefaultLeaderElections(member, this.store, TermGate.OPEN,
				new ElectionSettings(timing, Duration.ofSeconds(30)), TimeSource.SYSTEM);
		this.elections.addRequestListener(this::requested);
		for (int i = 0; i < roles; i++) {
			this.elections.join("role-" + i);
		}
	}

	void start() {
		this.elections.start();
		this.elections.compete();
	}

	/** Frees a role, which this member may take again like all others. */
	void resign(String role) {
		this.elections.election(role).resign();
	}

	boolean leads(String role) {
		return this.elections.election(role).isLeader();
	}

	void stop() {
		this.elections.stop();
	}

	int held() {
		return (int) this.elections.all().stream().filter(LeaderElection::isLeader).count();
	}

	/** Sums of epochs change if any role is lost and taken again. */
	long epochs() {
		return this.elections.all()
			.stream()
			.flatMap((election) -> election.leadership().stream())
			.mapToLong((leadership) -> leadership.epoch())
			.sum();
	}

	int renewals() {
		return this.renewals.get();
	}

	Duration longestRenewal() {
		return this.longestRenewal;
	}

	int failedRenewals() {
		return this.failedRenewals.get();
	}

	private void requested(String request, Duration took, boolean answered) {
		if (!request.equals("renew")) {
			return;
		}
		(answered ? this.renewals : this.failedRenewals).incrementAndGet();
		if (answered && took.compareTo(this.longestRenewal) > 0) {
			this.longestRenewal = took;
		}
	}

	@Override
	public void close() {
		this.elections.stop();
		this.store.close();
	}

}
