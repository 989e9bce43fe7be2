package io.leaderstarter.backend.local;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.leaderstarter.election.spi.Attempt;
import io.leaderstarter.election.spi.LeaseKey;
import io.leaderstarter.election.spi.LeaseRequest;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.LeaseStoreFactory;
import io.leaderstarter.election.spi.LeaseView;
import io.leaderstarter.election.spi.Renewal;
import io.leaderstarter.election.spi.StoreIdentity;

/**
 * {@link LeaseStoreFactory} for development on one node: every request for a role is
 * granted.
 *
 * @since 0.1.0
 */
public final class LocalLeaseStoreFactory implements LeaseStoreFactory {

	private static final String NAME = "local";

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public Duration minimumTtl() {
		return Duration.ofSeconds(1);
	}

	@Override
	public LeaseStore create(StoreIdentity identity) {
		return new LocalLeaseStore(identity.member());
	}

	private static final class LocalLeaseStore implements LeaseStore {

		private final String member;

		private final Map<String, LeaseKey> held = new HashMap<>();

		private final Map<String, Long> epochs = new HashMap<>();

		private LocalLeaseStore(String member) {
			this.member = member;
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
		public List<LeaseView> observe(Collection<String> roles, Attempt attempt) {
			List<LeaseView> views = new ArrayList<>();
			for (String role : roles) {
				LeaseKey lease = this.held.get(role);
				views.add(new LeaseView(role, epoch(role),
						(lease != null) ? new LeaseView.Owner(this.member, lease.termId(), null) : null));
			}
			return views;
		}

		@Override
		public Set<LeaseKey> acquire(List<LeaseRequest> requests, Attempt attempt) {
			Set<LeaseKey> granted = new LinkedHashSet<>();
			for (LeaseRequest request : requests) {
				this.held.put(request.role(), request.key());
				this.epochs.put(request.role(), request.key().epoch());
				granted.add(request.key());
			}
			return granted;
		}

		@Override
		public Renewal renew(Collection<LeaseKey> leases, Attempt attempt) {
			Set<LeaseKey> renewed = new HashSet<>(leases);
			renewed.retainAll(this.held.values());
			return new Renewal(renewed, attempt.sentAt());
		}

		@Override
		public void release(Collection<LeaseKey> leases, Attempt attempt) {
			leases.forEach((lease) -> this.held.remove(lease.role(), lease));
		}

		@Override
		public void close() {
			this.held.clear();
		}

		/**
		 * Begin with the current time, so that epochs increase over restarts although
		 * nothing is stored.
		 */
		private long epoch(String role) {
			return this.epochs.computeIfAbsent(role, (name) -> Instant.now().toEpochMilli());
		}

	}

}
