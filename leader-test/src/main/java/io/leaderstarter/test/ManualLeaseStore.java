package io.leaderstarter.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

import io.leaderstarter.election.spi.Attempt;
import io.leaderstarter.election.spi.LeaseKey;
import io.leaderstarter.election.spi.LeaseRequest;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.LeaseView;
import io.leaderstarter.election.spi.Renewal;
import io.leaderstarter.election.spi.StoreException;
import io.leaderstarter.election.spi.StoreListener;
import io.leaderstarter.election.spi.TermGate;
import org.jspecify.annotations.Nullable;

/**
 * Leases that a test gives and takes. What is not given to this member is held by another
 * one, which exists only here.
 */
final class ManualLeaseStore implements LeaseStore {

	static final String OTHER_MEMBER = "another-member";

	/** Always the same, as databases of tests outlive contexts. */
	private static final String NAME = "test";

	private final Supplier<String> member;

	private final Supplier<TermGate> gate;

	private final Map<String, Long> epochs = new HashMap<>();

	private final Map<String, LeaseKey> held = new HashMap<>();

	private final Set<String> given = new HashSet<>();

	/** Taken one by one, and so not given with everything else. */
	private final Set<String> taken = new HashSet<>();

	private @Nullable StoreListener listener;

	private boolean everything;

	private boolean reachable = true;

	/**
	 * Create the store.
	 * @param member id of this member
	 * @param gate knows which epochs the fences of the application's databases have seen
	 */
	ManualLeaseStore(Supplier<String> member, Supplier<TermGate> gate) {
		this.member = member;
		this.gate = gate;
	}

	synchronized void give(String role) {
		this.given.add(role);
		this.taken.remove(role);
	}

	synchronized void giveEverything() {
		this.everything = true;
		this.taken.clear();
	}

	/**
	 * Let the other member take a role.
	 * @return the epoch of its term
	 */
	synchronized long take(String role) {
		this.given.remove(role);
		this.taken.add(role);
		this.held.remove(role);
		return this.epochs.merge(role, 1L, Long::sum);
	}

	/**
	 * Let the other member take whatever was given.
	 */
	synchronized void takeEverything() {
		this.everything = false;
		this.given.clear();
		this.held.keySet().forEach((role) -> this.epochs.merge(role, 1L, Long::sum));
		this.held.clear();
	}

	synchronized boolean holds(String role) {
		return this.held.containsKey(role);
	}

	synchronized void setReachable(boolean reachable) {
		this.reachable = reachable;
	}

	synchronized boolean isReachable() {
		return this.reachable;
	}

	/** Make this member poll at once. */
	void wake() {
		StoreListener listener = listener();
		if (listener != null) {
			listener.onMaybeFree();
		}
	}

	private synchronized @Nullable StoreListener listener() {
		return this.listener;
	}

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public String storeId() {
		return NAME;
	}

	@Override
	public void prepare() {
	}

	@Override
	public Duration pollInterval() {
		return Duration.ofSeconds(1);
	}

	@Override
	public synchronized List<LeaseView> observe(Collection<String> roles, Attempt attempt) {
		requireReachable();
		// Fences can be in a database that another context has used.
		this.gate.get().passed(roles).forEach((role, passed) -> this.epochs.merge(role, passed.epoch(), Math::max));
		List<LeaseView> views = new ArrayList<>();
		roles.forEach((role) -> views.add(new LeaseView(role, epoch(role), owner(role))));
		return views;
	}

	private LeaseView.@Nullable Owner owner(String role) {
		LeaseKey lease = this.held.get(role);
		if (lease != null) {
			return new LeaseView.Owner(this.member.get(), lease.termId(), null);
		}
		return isGiven(role) ? null : new LeaseView.Owner(OTHER_MEMBER, OTHER_MEMBER, null);
	}

	@Override
	public synchronized Set<LeaseKey> acquire(List<LeaseRequest> requests, Attempt attempt) {
		requireReachable();
		Set<LeaseKey> granted = new LinkedHashSet<>();
		for (LeaseRequest request : requests) {
			if (isGiven(request.role()) && epoch(request.role()) == request.observedEpoch()) {
				this.held.put(request.role(), request.key());
				this.epochs.put(request.role(), request.key().epoch());
				granted.add(request.key());
			}
		}
		return granted;
	}

	@Override
	public synchronized Renewal renew(Collection<LeaseKey> leases, Attempt attempt) {
		requireReachable();
		Set<LeaseKey> renewed = new HashSet<>(leases);
		renewed.retainAll(this.held.values());
		return new Renewal(renewed, attempt.sentAt());
	}

	@Override
	public synchronized void release(Collection<LeaseKey> leases, Attempt attempt) {
		requireReachable();
		leases.forEach((lease) -> this.held.remove(lease.role(), lease));
	}

	@Override
	public synchronized void setListener(StoreListener listener) {
		this.listener = listener;
	}

	@Override
	public synchronized void close() {
		this.held.clear();
	}

	private boolean isGiven(String role) {
		return this.given.contains(role) || (this.everything && !this.taken.contains(role));
	}

	private long epoch(String role) {
		return this.epochs.getOrDefault(role, 0L);
	}

	private void requireReachable() {
		if (!this.reachable) {
			throw new StoreException("The test has disconnected this member", null);
		}
	}

}
