package io.leaderstarter.election.adversary;

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
import org.jspecify.annotations.Nullable;

/**
 * One node's side of an election as textbooks have it, for one role. A node is elected
 * until it does not believe so any more.
 */
abstract class ClassicElection implements LeaseStore {

	private final String member;

	private @Nullable LeaseKey held;

	private int confirmed;

	ClassicElection(String member) {
		this.member = member;
	}

	/** The last epoch that this node knows. */
	abstract long epoch();

	/** Whether this node believes that another one is elected. */
	abstract boolean isLed();

	/** Try to be elected. */
	abstract boolean campaign(long epoch);

	/** Whether this node, which was elected, believes that it still is. */
	abstract boolean believes();

	/** How often the node was asked whether it is still elected, and said yes. */
	synchronized int confirmed() {
		return this.confirmed;
	}

	/** Whether the role was given to this node, whatever it believes by now. */
	synchronized boolean isElected() {
		return this.held != null;
	}

	@Override
	public String name() {
		return "classic";
	}

	@Override
	public String storeId() {
		return "classic";
	}

	@Override
	public void prepare() {
	}

	@Override
	public Duration pollInterval() {
		return Duration.ofMillis(50);
	}

	@Override
	public synchronized List<LeaseView> observe(Collection<String> roles, Attempt attempt) {
		return roles.stream().map(this::observe).toList();
	}

	private LeaseView observe(String role) {
		LeaseKey own = this.held;
		if (own != null) {
			return new LeaseView(role, own.epoch(), new LeaseView.Owner(this.member, own.termId(), null));
		}
		return new LeaseView(role, epoch(), isLed() ? new LeaseView.Owner("another", "unknown", null) : null);
	}

	@Override
	public synchronized Set<LeaseKey> acquire(List<LeaseRequest> requests, Attempt attempt) {
		Set<LeaseKey> granted = new HashSet<>();
		for (LeaseRequest request : requests) {
			if (this.held == null && request.observedEpoch() == epoch() && campaign(request.key().epoch())) {
				this.held = request.key();
				granted.add(request.key());
			}
		}
		return granted;
	}

	@Override
	public synchronized Renewal renew(Collection<LeaseKey> leases, Attempt attempt) {
		boolean still = this.held != null && leases.contains(this.held) && believes();
		if (!still) {
			this.held = null;
			return new Renewal(Set.of(), attempt.sentAt());
		}
		this.confirmed++;
		return new Renewal(Set.of(this.held), attempt.sentAt());
	}

	@Override
	public synchronized void release(Collection<LeaseKey> leases, Attempt attempt) {
		this.held = null;
	}

	@Override
	public void close() {
	}

}
