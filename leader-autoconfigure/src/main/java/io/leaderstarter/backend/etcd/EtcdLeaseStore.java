package io.leaderstarter.backend.etcd;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.DeleteOption;
import io.etcd.jetcd.options.PutOption;
import io.leaderstarter.election.spi.Attempt;
import io.leaderstarter.election.spi.LeaseKey;
import io.leaderstarter.election.spi.LeaseRequest;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.LeaseView;
import io.leaderstarter.election.spi.Moment;
import io.leaderstarter.election.spi.Presence;
import io.leaderstarter.election.spi.Renewal;
import io.leaderstarter.election.spi.StoreException;
import io.leaderstarter.election.spi.StoreIdentity;
import io.leaderstarter.election.spi.StoreListener;
import io.leaderstarter.election.spi.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * Keeps leases as keys that live as long as an etcd lease of this process, and epochs as
 * keys that stay.
 */
final class EtcdLeaseStore implements LeaseStore {

	private static final Duration LONGEST_POLL = Duration.ofSeconds(5);

	private static final Duration POLL_WITHOUT_WATCH = Duration.ofSeconds(1);

	/** A cold JVM on a busy machine takes that long for its first request. */
	private static final Duration FIRST_REQUEST = Duration.ofSeconds(3);

	private final EtcdServers servers;

	private final StoreIdentity identity;

	private final EtcdLeaseProperties properties;

	private final EtcdKeys keys;

	private final RoleKeys roles;

	private final MemberLease memberLease;

	private final HeldLeases held;

	private final MemberKeys members;

	private final ServerVersion version = new ServerVersion();

	private final Map<String, RoleKeys.RoleKey> seen = new HashMap<>();

	private FreedRoles freed = new FreedRoles(() -> {
	});

	private @Nullable String authority;

	EtcdLeaseStore(EtcdServers servers, StoreIdentity identity, EtcdLeaseProperties properties) {
		this.servers = servers;
		this.identity = identity;
		this.properties = properties;
		this.keys = EtcdKeys.of(properties.keyPrefix(), identity.namespace());
		this.roles = new RoleKeys(this.keys);
		this.memberLease = new MemberLease(this.keys.member(identity.member()), identity.ttl());
		this.held = new HeldLeases(this.keys, identity.member(), this.memberLease);
		this.members = new MemberKeys(this.keys, identity.ttl());
	}

	@Override
	public String name() {
		return EtcdLeaseStoreFactory.NAME;
	}

	@Override
	public String location() {
		return this.servers.addresses();
	}

	@Override
	public String authority() {
		if (this.authority == null) {
			throw new IllegalStateException("prepare() was not called");
		}
		return this.authority;
	}

	@Override
	public void setListener(StoreListener listener) {
		this.freed = new FreedRoles(listener::onMaybeFree);
	}

	/** Asks one server after the other, as some may be away. */
	@Override
	public void prepare() {
		Duration longest = this.properties.connectionTimeout();
		Duration share = longest.dividedBy(this.servers.count());
		Duration least = (longest.compareTo(FIRST_REQUEST) < 0) ? longest : FIRST_REQUEST;
		Duration timeout = (share.compareTo(least) < 0) ? least : share;
		EtcdStoreException failure = null;
		for (int tries = 0; tries < this.servers.count(); tries++) {
			try {
				EtcdCall call = new EtcdCall(this.servers, timeout);
				this.authority = new EtcdPreparation(this.keys).prepare(call);
				return;
			}
			catch (EtcdStoreException ex) {
				failure = (failure == null || failure.isUnreachable()) ? ex : failure;
			}
		}
		throw (failure != null) ? failure : new StoreException("There is no server of etcd", null);
	}

	/** Long while the servers tell when a role is freed. */
	@Override
	public Duration pollInterval() {
		if (!this.freed.isWatching()) {
			return POLL_WITHOUT_WATCH;
		}
		Duration third = this.identity.ttl().dividedBy(3);
		return (third.compareTo(LONGEST_POLL) < 0) ? third : LONGEST_POLL;
	}

	@Override
	public List<LeaseView> observe(Collection<String> roles, Attempt attempt) {
		EtcdCall call = begin(attempt);
		this.version.check(call.server());
		// Before looking, so that what is freed behind our back is heard of.
		this.freed.watch(call.server(), this.keys.roles());
		this.memberLease.endDoomed(call);
		List<LeaseView> views = new ArrayList<>();
		for (RoleKeys.RoleKey role : this.roles.read(call, roles)) {
			this.seen.put(role.role(), role);
			views.add(new LeaseView(role.role(), role.last().epoch(), owner(role)));
		}
		return views;
	}

	@Override
	public Set<LeaseKey> acquire(List<LeaseRequest> requests, Attempt attempt) {
		EtcdCall call = begin(attempt);
		List<LeaseRequest> possible = requests.stream().filter(this::isAsSeen).toList();
		if (possible.isEmpty()) {
			return Set.of();
		}
		try {
			this.memberLease.require(call, attempt);
			return take(call, possible);
		}
		catch (LeaseGoneException ex) {
			forgetLease();
			throw ex;
		}
	}

	/** What is granted has as much time as the lease that it lives by. */
	@Override
	public Moment countedFrom(Moment sentAt) {
		Moment counted = this.memberLease.countedFrom();
		if (counted == null) {
			return sentAt.plus(this.identity.ttl().negated());
		}
		return counted.since(sentAt).isNegative() ? counted : sentAt;
	}

	@Override
	public Renewal renew(Collection<LeaseKey> leases, Attempt attempt) {
		EtcdCall call = begin(attempt);
		if (!this.held.isAny(leases) || this.memberLease.countedFrom() == null) {
			return new Renewal(Set.of(), attempt.sentAt());
		}
		try {
			Set<MemberLease.Proof> proofs = this.memberLease.prove(call, attempt);
			return new Renewal(this.held.judge(leases, proofs), attempt.sentAt());
		}
		catch (LeaseGoneException ex) {
			forgetLease();
			return new Renewal(Set.of(), attempt.sentAt());
		}
	}

	@Override
	public void release(Collection<LeaseKey> leases, Attempt attempt) {
		this.held.release(begin(attempt), leases);
	}

	@Override
	public Collection<Presence> announce(Presence self, Attempt attempt) {
		return this.members.announce(begin(attempt), self);
	}

	@Override
	public void withdraw(Attempt attempt) {
		this.members.withdraw(begin(attempt));
	}

	/** What nobody released runs out by itself. */
	@Override
	public void close() {
		this.freed.close();
		this.servers.close();
	}

	/** For tests that freeze the server which is asked. */
	EtcdServers servers() {
		return this.servers;
	}

	/** For tests that take the lease away. */
	MemberLease memberLease() {
		return this.memberLease;
	}

	private Set<LeaseKey> take(EtcdCall call, List<LeaseRequest> requests) {
		Map<List<LeaseRequest>, CompletableFuture<TxnResponse>> sent = new LinkedHashMap<>();
		for (List<LeaseRequest> chunk : Chunks.of(requests)) {
			Op[] operations = chunk.stream().map(this::take).toArray(Op[]::new);
			sent.put(chunk, call.client().getKVClient().txn().Then(operations).commit());
		}
		Set<LeaseKey> granted = new LinkedHashSet<>();
		sent.forEach((chunk, future) -> {
			TxnResponse answer = call.await(future, this.keys.roles());
			for (int i = 0; i < chunk.size(); i++) {
				if (answer.getTxnResponses().get(i).isSucceeded()) {
					LeaseKey lease = chunk.get(i).key();
					this.held.add(lease, answer.getHeader().getRevision());
					this.seen.remove(lease.role());
					granted.add(lease);
				}
			}
		});
		return granted;
	}

	private void forgetLease() {
		this.memberLease.forget();
		this.held.clear();
	}

	private EtcdCall begin(Attempt attempt) {
		return new EtcdCall(this.servers, attempt.timeout());
	}

	/**
	 * What lives by a former lease of ours is not ours any more: it may end at any time,
	 * whatever we do.
	 */
	private LeaseView.@Nullable Owner owner(RoleKeys.RoleKey role) {
		LeaseRecord leader = role.leader();
		if (leader == null) {
			return null;
		}
		if (leader.isGarbage()) {
			return new LeaseView.Owner("(garbage in %s)".formatted(this.keys.leader(role.role())), "", null);
		}
		if (!leader.member().equals(this.identity.member())) {
			return new LeaseView.Owner(leader.member(), leader.tenure(), null);
		}
		if (!this.memberLease.isPresent(role.lease())) {
			return new LeaseView.Owner(this.identity.member() + " (former lease)", leader.tenure(), null);
		}
		if (leader.equals(role.last())) {
			this.held.add(new LeaseKey(role.role(), leader.epoch(), leader.tenure()), role.leaderRevision());
		}
		return new LeaseView.Owner(this.identity.member(), leader.tenure(), null);
	}

	private boolean isAsSeen(LeaseRequest request) {
		RoleKeys.RoleKey role = this.seen.get(request.role());
		return role != null && role.last().epoch() == request.observedEpoch() && !role.last().isGarbage()
				&& role.leader() == null;
	}

	/**
	 * Raises the epoch and makes the keys of its term, or does nothing. What the former
	 * leader proves its role by is deleted, if somebody deleted only its other key.
	 */
	private Op take(LeaseRequest request) {
		RoleKeys.RoleKey role = this.seen.get(request.role());
		if (role == null) {
			throw new IllegalStateException("Not seen: " + request.role());
		}
		ByteSequence epoch = EtcdKeys.bytes(this.keys.epoch(request.role()));
		ByteSequence leader = EtcdKeys.bytes(this.keys.leader(request.role()));
		ByteSequence proof = EtcdKeys.bytes(this.keys.proof(this.identity.member(), request.role()));
		ByteSequence value = LeaseRecord.of(request, this.identity).write(this.identity.ttl());
		PutOption lease = PutOption.builder().withLeaseId(this.memberLease.id()).build();
		List<Op> operations = new ArrayList<>(List.of(Op.put(epoch, value, PutOption.DEFAULT),
				Op.put(leader, value, lease), Op.put(proof, ByteSequence.EMPTY, lease)));
		String former = role.last().member();
		if (!former.isEmpty() && !former.equals(this.identity.member())) {
			operations.add(Op.delete(EtcdKeys.bytes(this.keys.proof(former, request.role())), DeleteOption.DEFAULT));
		}
		Cmp[] unchanged = { new Cmp(epoch, Cmp.Op.EQUAL, CmpTarget.modRevision(role.revision())),
				new Cmp(leader, Cmp.Op.EQUAL, CmpTarget.createRevision(0)) };
		return Op.txn(unchanged, operations.toArray(Op[]::new), new Op[0]);
	}

}
