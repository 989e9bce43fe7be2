package io.leaderstarter.backend.support;

import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import io.leaderstarter.election.spi.LeaseKey;
import io.leaderstarter.election.spi.LeaseRequest;
import io.leaderstarter.election.spi.LeaseView;
import io.leaderstarter.election.spi.StoreIdentity;
import org.jspecify.annotations.Nullable;

/**
 * The roles of a store as they were observed last, and the leases that this process was
 * granted and did not release. Used by one thread at a time, except for
 * {@link #isNoneHeld()}.
 * <p>
 * Internal: not for applications.
 *
 * @param <P> identifies a lease in the store, such as a version
 * @since 0.1.0
 */
public final class KnownRoles<P> {

	private final StoreIdentity identity;

	private final String former;

	private final Map<String, StoredRole> observed = new HashMap<>();

	/** By role, as only the latest lease of a role can be held. */
	private final ConcurrentMap<String, Held<P>> held = new ConcurrentHashMap<>();

	/**
	 * Create a new empty instance.
	 * @param identity the member whose leases are kept
	 * @param former describes leases of an earlier session of this member in messages,
	 * such as {@code former session}
	 */
	public KnownRoles(StoreIdentity identity, String former) {
		this.identity = identity;
		this.former = former;
	}

	/**
	 * Add a role that was read.
	 * <p>
	 * A lease of an earlier session of this member is not held: it may end at any time. A
	 * lease whose grant was not answered is held from now on.
	 * @param role the role
	 * @param proof of the lease of the leader, {@code null} if it does not belong to the
	 * current session of this member
	 * @return the view of the role
	 */
	public LeaseView observed(StoredRole role, @Nullable P proof) {
		this.observed.put(role.name(), role);
		return new LeaseView(role.name(), role.last().epoch(), owner(role, proof));
	}

	/**
	 * Return the requests that can be granted according to the last observation.
	 * @param requests the requests
	 * @return those that can be granted, with their roles
	 */
	public Map<LeaseRequest, StoredRole> takeable(Collection<LeaseRequest> requests) {
		Map<LeaseRequest, StoredRole> takeable = new LinkedHashMap<>();
		for (LeaseRequest request : requests) {
			StoredRole role = this.observed.get(request.role());
			if (role != null && role.leader() == null && !role.last().isGarbage()
					&& role.last().epoch() == request.observedEpoch()) {
				takeable.put(request, role);
			}
		}
		return takeable;
	}

	/**
	 * Add a lease that is held.
	 * @param lease the lease
	 * @param proof of the lease
	 */
	public void granted(LeaseKey lease, P proof) {
		this.observed.remove(lease.role());
		this.held.put(lease.role(), new Held<>(lease, proof));
	}

	/**
	 * Return the proof of a lease.
	 * @param lease the lease
	 * @return its proof, {@code null} if it is not held as far as this process knows
	 */
	public @Nullable P proof(LeaseKey lease) {
		Held<P> known = this.held.get(lease.role());
		return (known != null && known.lease().equals(lease)) ? known.proof() : null;
	}

	/**
	 * Remove a lease.
	 * @param lease the lease
	 * @return its proof, {@code null} if it was not held as far as this process knew
	 */
	public @Nullable P forget(LeaseKey lease) {
		P proof = proof(lease);
		if (proof != null) {
			this.held.remove(lease.role());
		}
		return proof;
	}

	/**
	 * Remove leases.
	 * @param leases the leases
	 * @return those that were held as far as this process knew, with their proofs
	 */
	public Map<LeaseKey, P> forget(Collection<LeaseKey> leases) {
		Map<LeaseKey, P> forgotten = new LinkedHashMap<>();
		for (LeaseKey lease : leases) {
			P proof = forget(lease);
			if (proof != null) {
				forgotten.put(lease, proof);
			}
		}
		return forgotten;
	}

	/** Remove all leases. */
	public void forgetAll() {
		this.held.clear();
	}

	/**
	 * Return whether this process holds no lease. Thread-safe.
	 * @return whether there is no lease
	 */
	public boolean isNoneHeld() {
		return this.held.isEmpty();
	}

	private LeaseView.@Nullable Owner owner(StoredRole role, @Nullable P proof) {
		LeaseRecord leader = role.leader();
		if (leader == null) {
			return null;
		}
		boolean own = leader.member().equals(this.identity.member());
		if (own && proof != null && leader.equals(role.last())) {
			LeaseKey lease = new LeaseKey(role.name(), leader.epoch(), leader.termId());
			this.held.put(role.name(), new Held<>(lease, proof));
		}
		String member = (own && proof == null) ? "%s (%s)".formatted(leader.member(), this.former) : leader.member();
		return new LeaseView.Owner(member, leader.termId(), null);
	}

	private record Held<P>(LeaseKey lease, P proof) {
	}

}
