package io.leaderstarter.backend.etcd;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.PutOption;
import io.leaderstarter.backend.support.PollInterval;
import io.leaderstarter.backend.support.Prepared;
import io.leaderstarter.election.spi.Attempt;
import io.leaderstarter.election.spi.LeaseKey;
import io.leaderstarter.election.spi.LeaseRequest;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.LeaseView;
import io.leaderstarter.election.spi.Moment;
import io.leaderstarter.election.spi.Platform;
import io.leaderstarter.election.spi.Presence;
import io.leaderstarter.election.spi.Renewal;
import io.leaderstarter.election.spi.StoreException;
import io.leaderstarter.election.spi.StoreIdentity;
import io.leaderstarter.election.spi.StoreListener;

/**
 * Keeps leases as keys that live as long as an etcd lease of this process, and epochs as
 * keys that stay.
 */
final class EtcdLeaseStore implements LeaseStore {

	/** The first request of a JVM may take that long on a busy machine. */
	private static final Duration FIRST_REQUEST = Duration.ofSeconds(3);

	private final EtcdServers servers;

	private final StoreIdentity identity;

	private final EtcdLeaseProperties properties;

	private final EtcdKeys keys;

	private final RoleKeys roles;

	private final MemberLease memberLease;

	private final MemberKeys members;

	private final ServerVersion version = new ServerVersion();

	private FreedRoles freed = new FreedRoles(() -> {
	});

	private final Prepared<String> storeId = new Prepared<>();

	EtcdLeaseStore(EtcdServers servers, StoreIdentity identity, EtcdLeaseProperties properties) {
		this.servers = servers;
		this.identity = identity;
		this.properties = properties;
		this.keys = EtcdKeys.of(properties.keyPrefix(), identity.namespace());
		this.memberLease = new MemberLease(this.keys.member(identity.member()), identity.ttl());
		this.roles = new RoleKeys(this.keys, identity, this.memberLease);
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
	public String storeId() {
		return this.storeId.get();
	}

	@Override
	public void setListener(StoreListener listener) {
		this.freed = new FreedRoles(listener::onMaybeFree);
	}

	/** Ask one server after the other, as some may be unreachable. */
	@Override
	public void prepare() {
		Duration longest = this.properties.connectionTimeout();
		Duration share = longest.dividedBy(this.servers.count());
		Duration least = (longest.compareTo(FIRST_REQUEST) < 0) ? longest : FIRST_REQUEST;
		Duration timeout = (share.compareTo(least) < 0) ? least : share;
		StoreException failure = null;
		for (int tries = 0; tries < this.servers.count(); tries++) {
			try {
				EtcdCall call = new EtcdCall(this.servers, timeout);
				requireAccess(call);
				this.storeId.set(readOrMakeStoreId(call));
				return;
			}
			catch (StoreException ex) {
				failure = (failure == null || failure instanceof EtcdFailures.UnreachableException) ? ex : failure;
			}
		}
		throw (failure != null) ? failure : new StoreException("There is no server of etcd", null);
	}

	/**
	 * Any user may create a lease, even without the permission to write. So a request is
	 * sent that would write if the version of a key were negative: etcd checks the
	 * permissions first.
	 */
	private void requireAccess(EtcdCall call) {
		ByteSequence probe = EtcdKeys.bytes(this.keys.probe());
		String all = this.keys.namespace() + "/";
		GetOption any = GetOption.builder().withRange(EtcdKeys.end(all)).withLimit(1).withKeysOnly(true).build();
		call.await(call.client()
			.getKVClient()
			.txn()
			.If(new Cmp(probe, Cmp.Op.LESS, CmpTarget.version(0)))
			.Then(Op.put(probe, ByteSequence.EMPTY, PutOption.DEFAULT))
			.Else(Op.get(EtcdKeys.bytes(all), any))
			.commit(), all);
	}

	/**
	 * The id of the cluster is not enough: a cluster that was recreated with the same
	 * addresses has the same one.
	 */
	private String readOrMakeStoreId(EtcdCall call) {
		ByteSequence key = EtcdKeys.bytes(this.keys.storeId());
		TxnResponse answer = call.await(call.client()
			.getKVClient()
			.txn()
			.If(new Cmp(key, Cmp.Op.EQUAL, CmpTarget.version(0)))
			.Then(Op.put(key, EtcdKeys.bytes(Platform.SYSTEM.randomId()), PutOption.DEFAULT),
					Op.get(key, GetOption.DEFAULT))
			.Else(Op.get(key, GetOption.DEFAULT))
			.commit(), this.keys.storeId());
		List<KeyValue> found = answer.getGetResponses().get(0).getKvs();
		if (found.isEmpty()) {
			throw new StoreException("The key %s was deleted just now".formatted(this.keys.storeId()),
					"Find out who deletes keys below leader.etcd.key-prefix, and start the application again.", null);
		}
		return found.get(0).getValue().toString(StandardCharsets.UTF_8);
	}

	/** Long while the servers notify this member of freed roles. */
	@Override
	public Duration pollInterval() {
		if (!this.freed.isWatching()) {
			return PollInterval.UNNOTIFIED;
		}
		return PollInterval.atMost(this.identity.ttl().dividedBy(3));
	}

	@Override
	public List<LeaseView> observe(Collection<String> roles, Attempt attempt) {
		EtcdCall call = begin(attempt);
		this.version.check(call.server());
		// Before the poll, so that no role is freed unnoticed after it.
		this.freed.watch(call.server(), this.keys.roles());
		this.memberLease.retryRevocations(call);
		return this.roles.observe(call, roles);
	}

	@Override
	public Set<LeaseKey> acquire(List<LeaseRequest> requests, Attempt attempt) {
		try {
			return this.roles.take(begin(attempt), requests, attempt);
		}
		catch (LeaseGoneException ex) {
			this.roles.forgetLease();
			throw ex;
		}
	}

	/** A granted role expires with the lease of this member. */
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
		try {
			return new Renewal(this.roles.renew(begin(attempt), leases, attempt), attempt.sentAt());
		}
		catch (LeaseGoneException ex) {
			this.roles.forgetLease();
			return new Renewal(Set.of(), attempt.sentAt());
		}
	}

	@Override
	public void release(Collection<LeaseKey> leases, Attempt attempt) {
		this.roles.release(begin(attempt), leases);
	}

	@Override
	public Collection<Presence> announce(Presence self, Attempt attempt) {
		return this.members.announce(begin(attempt), self);
	}

	@Override
	public void withdraw(Attempt attempt) {
		this.members.withdraw(begin(attempt));
	}

	/** Leases that were not released expire. */
	@Override
	public void close() {
		this.freed.close();
		this.servers.close();
	}

	/** For tests that freeze the current server. */
	EtcdServers servers() {
		return this.servers;
	}

	/** For tests that revoke the lease. */
	MemberLease memberLease() {
		return this.memberLease;
	}

	private EtcdCall begin(Attempt attempt) {
		return new EtcdCall(this.servers, attempt.timeout());
	}

}
