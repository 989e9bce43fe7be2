package io.leaderstarter.election;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.leaderstarter.election.spi.Attempt;
import io.leaderstarter.election.spi.LeaseKey;
import io.leaderstarter.election.spi.LeaseRequest;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.LeaseView;
import io.leaderstarter.election.spi.Moment;
import io.leaderstarter.election.spi.Presence;
import io.leaderstarter.election.spi.Renewal;
import io.leaderstarter.election.spi.StoreException;
import io.leaderstarter.election.spi.StoreListener;

/**
 * A real store whose requests and answers can be lost on the way.
 */
public final class FaultyLeaseStore implements LeaseStore {

	private final LeaseStore delegate;

	private final Map<String, Fault> faults = new ConcurrentHashMap<>();

	private final Map<String, AtomicInteger> requests = new ConcurrentHashMap<>();

	private volatile Runnable afterLosses = () -> {
	};

	public FaultyLeaseStore(LeaseStore delegate) {
		this.delegate = delegate;
	}

	/** From now on, every request of this kind meets the fault. */
	public void fail(String request, Fault fault) {
		this.faults.put(request, fault);
	}

	/** Whenever an answer was lost, does this before the loss is known. */
	public void afterLosses(Runnable action) {
		this.afterLosses = action;
	}

	/** Ends all faults. */
	public void heal() {
		this.faults.clear();
	}

	public int requests(String request) {
		return this.requests.computeIfAbsent(request, (key) -> new AtomicInteger()).get();
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
	public void setListener(StoreListener listener) {
		this.delegate.setListener(listener);
	}

	@Override
	public Moment countedFrom(Moment sentAt) {
		return this.delegate.countedFrom(sentAt);
	}

	@Override
	public Duration pollInterval() {
		return this.delegate.pollInterval();
	}

	@Override
	public List<LeaseView> observe(Collection<String> roles, Attempt attempt) {
		return meet("observe", () -> this.delegate.observe(roles, attempt));
	}

	@Override
	public Set<LeaseKey> acquire(List<LeaseRequest> requests, Attempt attempt) {
		return meet("acquire", () -> this.delegate.acquire(requests, attempt));
	}

	@Override
	public Renewal renew(Collection<LeaseKey> leases, Attempt attempt) {
		return meet("renew", () -> this.delegate.renew(leases, attempt));
	}

	@Override
	public void release(Collection<LeaseKey> leases, Attempt attempt) {
		meet("release", () -> {
			this.delegate.release(leases, attempt);
			return true;
		});
	}

	@Override
	public Collection<Presence> announce(Presence self, Attempt attempt) {
		return meet("announce", () -> this.delegate.announce(self, attempt));
	}

	@Override
	public void withdraw(Attempt attempt) {
		meet("withdraw", () -> {
			this.delegate.withdraw(attempt);
			return true;
		});
	}

	@Override
	public void close() {
		this.delegate.close();
	}

	private <T> T meet(String request, Supplier<T> call) {
		this.requests.computeIfAbsent(request, (key) -> new AtomicInteger()).incrementAndGet();
		Fault fault = this.faults.getOrDefault(request, Fault.NONE);
		return switch (fault) {
			case NONE -> call.get();
			case LOSE_REQUEST -> throw new StoreException("The request was lost", null);
			case LOSE_ANSWER -> {
				call.get();
				this.afterLosses.run();
				throw new StoreException("The answer was lost", null);
			}
		};
	}

	/** What happens to a request. */
	public enum Fault {

		NONE,

		/** It never reached the store. */
		LOSE_REQUEST,

		/** It took effect, but was never answered. */
		LOSE_ANSWER

	}

}
