package io.leaderstarter.scale;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

import io.leaderstarter.election.spi.Attempt;
import io.leaderstarter.election.spi.LeaseKey;
import io.leaderstarter.election.spi.LeaseRequest;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.LeaseView;
import io.leaderstarter.election.spi.Moment;
import io.leaderstarter.election.spi.Presence;
import io.leaderstarter.election.spi.Renewal;
import io.leaderstarter.election.spi.StoreListener;

/**
 * A store that counts how often it is polled and how often roles are requested.
 *
 * @param store does the work
 * @param polls counts polls
 * @param tries counts those who ask for roles
 */
record CountedStore(LeaseStore store, AtomicInteger polls, AtomicInteger tries) implements LeaseStore {

	@Override
	public String name() {
		return this.store.name();
	}

	@Override
	public String storeId() {
		return this.store.storeId();
	}

	@Override
	public void prepare() {
		this.store.prepare();
	}

	@Override
	public Duration pollInterval() {
		return this.store.pollInterval();
	}

	@Override
	public List<LeaseView> observe(Collection<String> roles, Attempt attempt) {
		this.polls.incrementAndGet();
		return this.store.observe(roles, attempt);
	}

	@Override
	public Set<LeaseKey> acquire(List<LeaseRequest> requests, Attempt attempt) {
		this.tries.incrementAndGet();
		return this.store.acquire(requests, attempt);
	}

	@Override
	public Moment countedFrom(Moment sentAt) {
		return this.store.countedFrom(sentAt);
	}

	@Override
	public Renewal renew(Collection<LeaseKey> leases, Attempt attempt) {
		return this.store.renew(leases, attempt);
	}

	@Override
	public void release(Collection<LeaseKey> leases, Attempt attempt) {
		this.store.release(leases, attempt);
	}

	@Override
	public Collection<Presence> announce(Presence self, Attempt attempt) {
		return this.store.announce(self, attempt);
	}

	@Override
	public void withdraw(Attempt attempt) {
		this.store.withdraw(attempt);
	}

	@Override
	public void setListener(StoreListener listener) {
		this.store.setListener(listener);
	}

	@Override
	public void close() {
		this.store.close();
	}

}
