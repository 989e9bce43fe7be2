package io.leaderstarter.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;

import io.leaderstarter.election.spi.LeaseKey;
import io.leaderstarter.election.spi.LeaseRequest;
import io.leaderstarter.election.spi.LeaseView;
import io.leaderstarter.election.spi.Presence;
import io.leaderstarter.election.spi.StoreIdentity;

/**
 * The server of a store: leases and announcements, by its own clock. Each request takes
 * effect as a whole.
 * <p>
 * There are two kinds. One shows when leases run out, as a database does. The other ends
 * them by itself, as ZooKeeper and etcd do.
 */
final class LeaseServer {

	private final LongSupplier clock;

	private final boolean showsExpiry;

	private final Runnable onFree;

	private Map<String, Lease> leases = new TreeMap<>();

	private Map<String, Announcement> announcements = new TreeMap<>();

	/**
	 * Create a server that keeps nothing yet.
	 * @param clock its clock in nanoseconds
	 * @param showsExpiry whether it shows when leases run out
	 * @param onFree called when a role was released
	 */
	LeaseServer(LongSupplier clock, boolean showsExpiry, Runnable onFree) {
		this.clock = clock;
		this.showsExpiry = showsExpiry;
		this.onFree = onFree;
	}

	long now() {
		return this.clock.getAsLong();
	}

	boolean showsExpiry() {
		return this.showsExpiry;
	}

	synchronized List<LeaseView> observe(StoreIdentity identity, Collection<String> roles) {
		List<LeaseView> views = new ArrayList<>();
		for (String role : roles) {
			Lease lease = find(identity, role);
			views.add(new LeaseView(role, lease.epoch, isHeld(lease) ? owner(lease) : null));
		}
		return views;
	}

	private LeaseView.Owner owner(Lease lease) {
		return new LeaseView.Owner(lease.member, lease.termId, this.showsExpiry
				? new LeaseView.Expiry(lease.mark, Duration.ofNanos(lease.runsOut - now()), Duration.ofNanos(lease.ttl))
				: null);
	}

	synchronized Set<LeaseKey> acquire(StoreIdentity identity, Collection<LeaseRequest> requests) {
		Set<LeaseKey> granted = new LinkedHashSet<>();
		for (LeaseRequest request : requests) {
			Lease lease = find(identity, request.role());
			if (lease.epoch == request.observedEpoch() && isTakeable(lease, request)) {
				long ttl = identity.ttl().toNanos();
				put(identity, request.role(), new Lease(request.key().epoch(), identity.member(), request.termId(),
						now() + ttl, ttl, nextMark(lease, now() + ttl)));
				granted.add(request.key());
			}
		}
		return granted;
	}

	private boolean isTakeable(Lease lease, LeaseRequest request) {
		if (!isHeld(lease)) {
			return request.observedMark() == null;
		}
		return this.showsExpiry && request.observedMark() != null && request.observedMark() == lease.mark
				&& (request.over() || lease.runsOut <= now());
	}

	synchronized Set<LeaseKey> renew(StoreIdentity identity, Collection<LeaseKey> keys) {
		Set<LeaseKey> renewed = new LinkedHashSet<>();
		for (LeaseKey key : keys) {
			Lease lease = find(identity, key.role());
			if (isOf(lease, identity, key) && lease.runsOut > now()) {
				long runsOut = now() + lease.ttl;
				put(identity, key.role(), new Lease(lease.epoch, lease.member, lease.termId, runsOut, lease.ttl,
						nextMark(lease, runsOut)));
				renewed.add(key);
			}
		}
		return renewed;
	}

	synchronized void release(StoreIdentity identity, Collection<LeaseKey> keys) {
		for (LeaseKey key : keys) {
			Lease lease = find(identity, key.role());
			if (isOf(lease, identity, key)) {
				put(identity, key.role(), new Lease(lease.epoch, null, "", 0, lease.ttl, lease.mark));
				this.onFree.run();
			}
		}
	}

	synchronized Collection<Presence> announce(StoreIdentity identity, Presence self) {
		this.announcements.put(key(identity, self.member()),
				new Announcement(self, identity.namespace(), now() + 3 * identity.ttl().toNanos()));
		this.announcements.values().removeIf((announcement) -> announcement.runsOut <= now());
		return this.announcements.values()
			.stream()
			.filter((announcement) -> announcement.namespace.equals(identity.namespace()))
			.map(Announcement::presence)
			.toList();
	}

	synchronized void withdraw(StoreIdentity identity) {
		this.announcements.remove(key(identity, identity.member()));
	}

	/** All that it keeps, as it is now. */
	synchronized Map<String, Lease> copy() {
		return new TreeMap<>(this.leases);
	}

	/** Free a role by hand. */
	synchronized void free(String namespace, String role) {
		this.leases.computeIfPresent(namespace + '/' + role,
				(key, lease) -> new Lease(lease.epoch, null, "", 0, lease.ttl, lease.mark));
		this.onFree.run();
	}

	/** Go back to an earlier state. */
	synchronized void restore(Map<String, Lease> copy) {
		this.leases = new TreeMap<>(copy);
	}

	/** Give all leases their whole time again, as etcd does when its leader changes. */
	synchronized void prolong() {
		this.leases.replaceAll((role, lease) -> isHeld(lease)
				? new Lease(lease.epoch, lease.member, lease.termId, now() + lease.ttl, lease.ttl, lease.mark) : lease);
	}

	/** Whether a lease has run out by itself since an earlier moment. */
	synchronized boolean hasEndedSince(long before) {
		return this.leases.values()
			.stream()
			.anyMatch((lease) -> lease.member != null && lease.runsOut > before && lease.runsOut <= now());
	}

	/** Who holds a role, {@code null} if nobody does. */
	synchronized Lease held(String namespace, String role) {
		Lease lease = this.leases.get(namespace + '/' + role);
		return (lease != null && lease.member != null && lease.runsOut > now()) ? lease : null;
	}

	private boolean isHeld(Lease lease) {
		return lease.member != null && (this.showsExpiry || lease.runsOut > now());
	}

	private static boolean isOf(Lease lease, StoreIdentity identity, LeaseKey key) {
		return identity.member().equals(lease.member) && lease.epoch == key.epoch()
				&& lease.termId.equals(key.termId());
	}

	/** Two marks are never the same, not even after an earlier state was restored. */
	private static long nextMark(Lease lease, long runsOut) {
		return Math.max(lease.mark + 1, runsOut);
	}

	private Lease find(StoreIdentity identity, String role) {
		return this.leases.computeIfAbsent(key(identity, role), (key) -> new Lease(0, null, "", 0, 0, 0));
	}

	private void put(StoreIdentity identity, String role, Lease lease) {
		this.leases.put(key(identity, role), lease);
	}

	private static String key(StoreIdentity identity, String name) {
		return identity.namespace() + '/' + name;
	}

	/**
	 * A lease, or the last epoch of a role that nobody holds.
	 */
	record Lease(long epoch, String member, String termId, long runsOut, long ttl, long mark) {
	}

	private record Announcement(Presence presence, String namespace, long runsOut) {
	}

}
