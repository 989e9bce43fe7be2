package io.leaderstarter.backend.etcd;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.DeleteOption;
import io.leaderstarter.election.spi.LeaseKey;
import org.jspecify.annotations.Nullable;

/**
 * The leases that this process was granted and did not release, as far as it knows.
 */
final class HeldLeases {

	private final EtcdKeys keys;

	private final String member;

	private final MemberLease memberLease;

	/** By role, as only the latest lease of a role can be held. */
	private final ConcurrentMap<String, Held> held = new ConcurrentHashMap<>();

	HeldLeases(EtcdKeys keys, String member, MemberLease memberLease) {
		this.keys = keys;
		this.member = member;
		this.memberLease = memberLease;
	}

	/**
	 * Takes note of a lease that is held.
	 * @param lease what is held
	 * @param revision what wrote its keys
	 */
	void add(LeaseKey lease, long revision) {
		this.held.put(lease.role(), new Held(lease, revision));
	}

	void clear() {
		this.held.clear();
	}

	boolean isAny(Collection<LeaseKey> leases) {
		return leases.stream().anyMatch((lease) -> known(lease) != null);
	}

	/**
	 * Returns those that are still held, going by what lives by the lease of this member.
	 */
	Set<LeaseKey> judge(Collection<LeaseKey> leases, Set<MemberLease.Proof> proofs) {
		Set<LeaseKey> kept = new LinkedHashSet<>();
		for (LeaseKey lease : leases) {
			Held known = known(lease);
			if (known == null) {
				continue;
			}
			if (proofs.contains(new MemberLease.Proof(this.keys.proof(this.member, lease.role()), known.revision()))) {
				kept.add(lease);
			}
			else {
				this.held.remove(lease.role(), known);
			}
		}
		return kept;
	}

	/**
	 * Frees leases that are still held. If nothing else is held, the lease of this member
	 * is ended as a whole.
	 */
	void release(EtcdCall call, Collection<LeaseKey> leases) {
		List<Held> freed = new ArrayList<>();
		for (LeaseKey lease : leases) {
			Held known = known(lease);
			if (known != null && this.held.remove(lease.role(), known)) {
				freed.add(known);
			}
		}
		if (freed.isEmpty()) {
			return;
		}
		if (this.held.isEmpty() && this.memberLease.countedFrom() != null) {
			this.memberLease.revoke(call);
			return;
		}
		List<CompletableFuture<TxnResponse>> sent = new ArrayList<>();
		for (List<Held> chunk : Chunks.of(freed)) {
			Op[] operations = chunk.stream().map(this::free).toArray(Op[]::new);
			sent.add(call.client().getKVClient().txn().Then(operations).commit());
		}
		sent.forEach((future) -> call.await(future, this.keys.roles()));
	}

	private Op free(Held known) {
		String role = known.lease().role();
		Cmp ours = new Cmp(EtcdKeys.bytes(this.keys.leader(role)), Cmp.Op.EQUAL,
				CmpTarget.createRevision(known.revision()));
		Op[] deletes = { Op.delete(EtcdKeys.bytes(this.keys.leader(role)), DeleteOption.DEFAULT),
				Op.delete(EtcdKeys.bytes(this.keys.proof(this.member, role)), DeleteOption.DEFAULT) };
		return Op.txn(new Cmp[] { ours }, deletes, new Op[0]);
	}

	private @Nullable Held known(LeaseKey lease) {
		Held known = this.held.get(lease.role());
		return (known != null && known.lease().equals(lease)) ? known : null;
	}

	private record Held(LeaseKey lease, long revision) {
	}

}
