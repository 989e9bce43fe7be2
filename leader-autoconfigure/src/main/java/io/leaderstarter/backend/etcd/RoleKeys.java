package io.leaderstarter.backend.etcd;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.DeleteOption;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.PutOption;
import io.leaderstarter.backend.support.Chunks;
import io.leaderstarter.backend.support.KnownRoles;
import io.leaderstarter.backend.support.LeaseRecord;
import io.leaderstarter.backend.support.StoredRole;
import io.leaderstarter.election.spi.Attempt;
import io.leaderstarter.election.spi.LeaseKey;
import io.leaderstarter.election.spi.LeaseRequest;
import io.leaderstarter.election.spi.LeaseView;
import io.leaderstarter.election.spi.StoreIdentity;
import io.leaderstarter.election.spi.TimeSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes the keys of roles, many in one request. Each role is read in one
 * revision.
 */
final class RoleKeys {

	/**
	 * By default a request may have 128 operations and 1.5 MB, and an operation with the
	 * longest names takes some 5 kB.
	 */
	static final int MOST = 100;

	private static final Log logger = LogFactory.getLog(RoleKeys.class);

	private final EtcdKeys keys;

	private final StoreIdentity identity;

	private final MemberLease memberLease;

	/** The proof of a lease is the revision that wrote its keys. */
	private final KnownRoles<Long> known;

	/** Keys with garbage that was logged already. */
	private final Set<String> garbage = new HashSet<>();

	RoleKeys(EtcdKeys keys, StoreIdentity identity, MemberLease memberLease) {
		this.keys = keys;
		this.identity = identity;
		this.memberLease = memberLease;
		this.known = new KnownRoles<>(identity, "former lease");
	}

	List<LeaseView> observe(EtcdCall call, Collection<String> roles) {
		Map<List<String>, CompletableFuture<TxnResponse>> sent = send(call, roles, this::read);
		List<LeaseView> views = new ArrayList<>();
		sent.forEach((chunk, future) -> {
			List<GetResponse> answers = call.await(future, this.keys.roles()).getGetResponses();
			for (int i = 0; i < chunk.size(); i++) {
				views.add(observed(chunk.get(i), answers.get(i).getKvs()));
			}
		});
		return views;
	}

	/** Take those that have not changed since they were observed. */
	Set<LeaseKey> take(EtcdCall call, List<LeaseRequest> requests, Attempt attempt) {
		Map<LeaseRequest, StoredRole> possible = this.known.takeable(requests);
		if (possible.isEmpty()) {
			return Set.of();
		}
		this.memberLease.require(call, attempt);
		Set<LeaseKey> granted = new LinkedHashSet<>();
		send(call, possible.entrySet(), (one) -> take(one.getKey(), one.getValue())).forEach((chunk, future) -> {
			TxnResponse answer = call.await(future, this.keys.roles());
			for (int i = 0; i < chunk.size(); i++) {
				if (answer.getTxnResponses().get(i).isSucceeded()) {
					LeaseKey lease = chunk.get(i).getKey().key();
					this.known.granted(lease, answer.getHeader().getRevision());
					granted.add(lease);
				}
			}
		});
		return granted;
	}

	/** Renew those that are held, by renewing the lease of this member. */
	Set<LeaseKey> renew(EtcdCall call, Collection<LeaseKey> leases, Attempt attempt) {
		if (this.memberLease.countedFrom() == null
				|| leases.stream().allMatch((lease) -> this.known.proof(lease) == null)) {
			return Set.of();
		}
		Set<MemberLease.Proof> proofs = this.memberLease.prove(call, attempt);
		Set<LeaseKey> kept = new LinkedHashSet<>();
		for (LeaseKey lease : leases) {
			Long revision = this.known.proof(lease);
			if (revision != null && proofs.contains(new MemberLease.Proof(proof(lease.role()), revision))) {
				kept.add(lease);
			}
			else {
				this.known.forget(lease);
			}
		}
		return kept;
	}

	/**
	 * Free leases that are still held. If nothing else is held, the lease of this member
	 * is revoked.
	 */
	void release(EtcdCall call, Collection<LeaseKey> leases) {
		Map<LeaseKey, Long> freed = this.known.forget(leases);
		if (freed.isEmpty()) {
			return;
		}
		if (this.known.isNoneHeld() && this.memberLease.countedFrom() != null) {
			this.memberLease.revoke(call);
			return;
		}
		send(call, freed.entrySet(), (one) -> free(one.getKey().role(), one.getValue()))
			.forEach((chunk, future) -> call.await(future, this.keys.roles()));
	}

	/** Forget everything, as the lease of this member has expired. */
	void forgetLease() {
		this.memberLease.forget();
		this.known.forgetAll();
	}

	private <T> Map<List<T>, CompletableFuture<TxnResponse>> send(EtcdCall call, Collection<T> items,
			Function<T, Op> operation) {
		Map<List<T>, CompletableFuture<TxnResponse>> sent = new LinkedHashMap<>();
		for (List<T> chunk : Chunks.of(items, MOST)) {
			Op[] operations = chunk.stream().map(operation).toArray(Op[]::new);
			sent.put(chunk, call.client().getKVClient().txn().Then(operations).commit());
		}
		return sent;
	}

	private Op read(String role) {
		String first = this.keys.role(role);
		return Op.get(EtcdKeys.bytes(first), GetOption.builder().withRange(EtcdKeys.end(first)).withLimit(2).build());
	}

	private LeaseView observed(String role, List<KeyValue> found) {
		KeyValue epoch = find(this.keys.epoch(role), found);
		KeyValue leader = find(this.keys.leader(role), found);
		Long proof = (leader != null && this.memberLease.isPresent(leader.getLease())) ? leader.getCreateRevision()
				: null;
		return this.known.observed(new StoredRole(role, (epoch != null) ? record(epoch) : LeaseRecord.NONE,
				(epoch != null) ? epoch.getModRevision() : 0, (leader != null) ? record(leader) : null), proof);
	}

	private LeaseRecord record(KeyValue found) {
		LeaseRecord record = LeaseRecord.read(found.getValue().getBytes());
		String key = found.getKey().toString();
		if (!record.isGarbage()) {
			this.garbage.remove(key);
			return record;
		}
		if (this.garbage.add(key)) {
			logger.error(
					"The key %s in etcd holds a value that no election has written. It is not changed, and the role has no next term until somebody %s"
						.formatted(key, EtcdKeys.isLeader(found.getKey()) ? "deletes the key"
								: "writes 'epoch=n' with a number that is higher than all granted epochs"));
		}
		return new LeaseRecord(record.epoch(), "", "(garbage in %s)".formatted(key));
	}

	/**
	 * Raise the epoch and create the keys of its term, if nothing has changed. The proof
	 * of the former leader is deleted, in case that only its other key was deleted.
	 */
	private Op take(LeaseRequest request, StoredRole role) {
		ByteSequence epoch = EtcdKeys.bytes(this.keys.epoch(request.role()));
		ByteSequence leader = EtcdKeys.bytes(this.keys.leader(request.role()));
		ByteSequence value = ByteSequence
			.from(LeaseRecord.of(request, this.identity).write(this.identity.ttl(), TimeSource.SYSTEM.now()));
		PutOption lease = PutOption.builder().withLeaseId(this.memberLease.id()).build();
		List<Op> operations = new ArrayList<>(
				List.of(Op.put(epoch, value, PutOption.DEFAULT), Op.put(leader, value, lease),
						Op.put(EtcdKeys.bytes(proof(request.role())), ByteSequence.EMPTY, lease)));
		String former = role.last().member();
		if (!former.isEmpty() && !former.equals(this.identity.member())) {
			operations.add(Op.delete(EtcdKeys.bytes(this.keys.proof(former, request.role())), DeleteOption.DEFAULT));
		}
		Cmp[] unchanged = { new Cmp(epoch, Cmp.Op.EQUAL, CmpTarget.modRevision(role.version())),
				new Cmp(leader, Cmp.Op.EQUAL, CmpTarget.createRevision(0)) };
		return Op.txn(unchanged, operations.toArray(Op[]::new), new Op[0]);
	}

	private Op free(String role, long revision) {
		ByteSequence leader = EtcdKeys.bytes(this.keys.leader(role));
		Cmp unchanged = new Cmp(leader, Cmp.Op.EQUAL, CmpTarget.createRevision(revision));
		Op[] deletes = { Op.delete(leader, DeleteOption.DEFAULT),
				Op.delete(EtcdKeys.bytes(proof(role)), DeleteOption.DEFAULT) };
		return Op.txn(new Cmp[] { unchanged }, deletes, new Op[0]);
	}

	private String proof(String role) {
		return this.keys.proof(this.identity.member(), role);
	}

	private static @Nullable KeyValue find(String key, List<KeyValue> found) {
		return found.stream().filter((candidate) -> candidate.getKey().toString().equals(key)).findFirst().orElse(null);
	}

}
