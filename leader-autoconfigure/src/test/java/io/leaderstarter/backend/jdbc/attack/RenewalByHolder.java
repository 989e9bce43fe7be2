package io.leaderstarter.backend.jdbc.attack;

import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.leaderstarter.election.spi.Attempt;
import io.leaderstarter.election.spi.LeaseKey;
import io.leaderstarter.election.spi.LeaseRequest;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.LeaseView;
import io.leaderstarter.election.spi.Renewal;

import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * What not to do: renews all rows of its holder, and judges by how many there were. The
 * attacks have to break it, or they prove nothing about the real store.
 */
final class RenewalByHolder implements LeaseStore {

	private final LeaseStore delegate;

	private final JdbcClient table;

	private volatile String holder = "";

	RenewalByHolder(LeaseStore delegate, JdbcClient table) {
		this.delegate = delegate;
		this.table = table;
	}

	/** Say whose rows are renewed. */
	void holder(String holder) {
		this.holder = holder;
	}

	@Override
	public Renewal renew(Collection<LeaseKey> leases, Attempt attempt) {
		int renewed = this.table.sql(
				"update leader_lease set expires_at_us = :now + ttl_us where holder = :holder and expires_at_us > :now")
			.param("now", System.currentTimeMillis() * 1000)
			.param("holder", this.holder)
			.update();
		return new Renewal((renewed >= leases.size()) ? new HashSet<>(leases) : Set.of(), attempt.sentAt());
	}

	@Override
	public String name() {
		return this.delegate.name();
	}

	@Override
	public String storeId() {
		return this.delegate.storeId();
	}

	@Override
	public void prepare() {
		this.delegate.prepare();
	}

	@Override
	public Duration pollInterval() {
		return this.delegate.pollInterval();
	}

	@Override
	public List<LeaseView> observe(Collection<String> roles, Attempt attempt) {
		return this.delegate.observe(roles, attempt);
	}

	@Override
	public Set<LeaseKey> acquire(List<LeaseRequest> requests, Attempt attempt) {
		return this.delegate.acquire(requests, attempt);
	}

	@Override
	public void release(Collection<LeaseKey> leases, Attempt attempt) {
		this.delegate.release(leases, attempt);
	}

	@Override
	public void close() {
		this.delegate.close();
	}

}
