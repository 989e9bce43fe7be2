package io.leaderstarter.backend.zookeeper;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.leaderstarter.backend.support.CallTimeout;
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
import io.leaderstarter.election.spi.TimeSource;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;

/**
 * Keeps leases as ephemeral nodes, which live as long as the session of this process, and
 * epochs as nodes that stay.
 */
final class ZooKeeperLeaseStore implements LeaseStore {

	private static final Duration POLL_UNTIL_PROVEN = Duration.ofMillis(250);

	private final ZooKeeperClient client;

	private final StoreIdentity identity;

	private final ZooKeeperLeaseProperties properties;

	private final NodePaths paths;

	private final List<ACL> acl;

	private final Prepared<String> storeId = new Prepared<>();

	private final RoleNodes nodes;

	private final MemberNodes members;

	private final SessionProofs proofs;

	private FreedRoles freed = new FreedRoles(() -> {
	});

	private volatile @Nullable ZooKeeperSession session;

	private volatile boolean unproven;

	ZooKeeperLeaseStore(ZooKeeperClient client, StoreIdentity identity, ZooKeeperLeaseProperties properties) {
		this.client = client;
		this.identity = identity;
		this.properties = properties;
		this.paths = NodePaths.of(client.root() + properties.basePath(), identity.namespace());
		this.acl = properties.creatorOnly() ? ZooDefs.Ids.CREATOR_ALL_ACL : ZooDefs.Ids.OPEN_ACL_UNSAFE;
		this.nodes = new RoleNodes(this.paths, identity);
		this.members = new MemberNodes(this.paths);
		this.proofs = new SessionProofs(properties.tickTime());
	}

	@Override
	public String name() {
		return ZooKeeperLeaseStoreFactory.NAME;
	}

	@Override
	public String location() {
		return this.client.address();
	}

	@Override
	public String storeId() {
		return this.storeId.get();
	}

	@Override
	public void setListener(StoreListener listener) {
		this.freed = new FreedRoles(listener::onMaybeFree);
	}

	@Override
	public void prepare() {
		this.client.start();
		Duration timeout = this.properties.connectionTimeout();
		Moment begin = TimeSource.SYSTEM.now();
		while (this.client.connect(timeout)) {
			Attempt attempt = new Attempt(TimeSource.SYSTEM.now(), timeout);
			try {
				ZooKeeperCall call = connect(attempt);
				prepare(call);
				prove(call, attempt);
				return;
			}
			catch (StoreException ex) {
				// A connection that is lost just now is as one that is not there yet.
				if (!ZooKeeperFailures.isLostConnection(ex)
						|| TimeSource.SYSTEM.now().since(begin).compareTo(timeout) >= 0) {
					throw ex;
				}
			}
		}
	}

	/**
	 * Long while the servers notify this member of freed roles, but short enough for the
	 * proofs of the session: a lease is counted from the last one.
	 */
	@Override
	public Duration pollInterval() {
		ZooKeeperSession present = this.session;
		if (this.unproven) {
			return POLL_UNTIL_PROVEN;
		}
		if (present == null || !this.freed.isWatching(present.id()) || !this.client.isConnected()) {
			return PollInterval.UNNOTIFIED;
		}
		return PollInterval.atMost(this.identity.ttl().dividedBy(5));
	}

	@Override
	public List<LeaseView> observe(Collection<String> roles, Attempt attempt) {
		ZooKeeperCall call = begin(attempt);
		// Before the poll, so that no role is freed unnoticed after it.
		this.freed.watch(call, this.paths.namespace());
		CompletableFuture<ZooKeeperCall.Answer> proof = this.proofs.isDue(call.session(), attempt.sentAt())
				? sendProof(call) : null;
		List<LeaseView> views = this.nodes.observe(call, roles);
		if (proof != null) {
			confirm(proof, call, attempt);
		}
		this.unproven = this.unproven && isUnproven(call, attempt);
		return views;
	}

	/**
	 * Ask for nothing while a lease could not be counted from a recent moment: its term
	 * would be over before it was renewed, and its epoch lost.
	 */
	@Override
	public Set<LeaseKey> acquire(List<LeaseRequest> requests, Attempt attempt) {
		ZooKeeperCall call = begin(attempt);
		this.unproven = isUnproven(call, attempt);
		if (this.unproven) {
			if (this.proofs.isDue(call.session(), attempt.sentAt())) {
				prove(call, attempt);
			}
			return Set.of();
		}
		Set<LeaseKey> granted = this.nodes.take(call, requests);
		if (!granted.isEmpty()) {
			this.proofs.add(call.session(), attempt.sentAt(), TimeSource.SYSTEM.now());
		}
		return granted;
	}

	@Override
	public Moment countedFrom(Moment sentAt) {
		ZooKeeperSession present = this.session;
		Moment counted = (present != null) ? this.proofs.countedFrom(present, sentAt) : null;
		// A moment so long ago that no lease is valid, if nothing is known.
		return (counted != null) ? counted : sentAt.plus(this.identity.ttl().negated());
	}

	@Override
	public Renewal renew(Collection<LeaseKey> leases, Attempt attempt) {
		ZooKeeperCall call = begin(attempt);
		Set<LeaseKey> kept = this.nodes.check(call, leases);
		if (!kept.isEmpty()) {
			this.proofs.add(call.session(), attempt.sentAt(), TimeSource.SYSTEM.now());
		}
		return new Renewal(kept, countedFrom(attempt.sentAt()));
	}

	@Override
	public void release(Collection<LeaseKey> leases, Attempt attempt) {
		this.nodes.release(begin(attempt), leases);
	}

	@Override
	public Collection<Presence> announce(Presence self, Attempt attempt) {
		return this.members.announce(begin(attempt), self);
	}

	@Override
	public void withdraw(Attempt attempt) {
		this.members.withdraw(begin(attempt));
	}

	/** A session with leases that were not released is not ended. */
	@Override
	public void close() {
		this.freed.close(this.session, this.paths.namespace());
		this.client.close(this.nodes.isNoneHeld());
	}

	/** For tests that expire the session. */
	ZooKeeperClient client() {
		return this.client;
	}

	private ZooKeeperCall begin(Attempt attempt) {
		ZooKeeperCall call = connect(attempt);
		if (!this.storeId.isSet()) {
			// It could not be prepared when the application started.
			prepare(call);
		}
		return call;
	}

	/**
	 * Create the parent nodes of all roles, and verify that they can be used.
	 */
	private void prepare(ZooKeeperCall call) {
		for (int slash = 0; slash >= 0;) {
			slash = this.paths.namespace().indexOf('/', slash + 1);
			String path = (slash > 0) ? this.paths.namespace().substring(0, slash) : this.paths.namespace();
			// A user may lack the right to create a node that exists.
			if (!call.await(call.exists(path)).isOk()) {
				create(call, path, new byte[0]);
			}
		}
		create(call, this.paths.storeId(), Platform.SYSTEM.randomId().getBytes(StandardCharsets.UTF_8));
		// All rights that are needed to take a role and to free it.
		call.execute(call.creation(this.paths.probe(), new byte[0], CreateMode.EPHEMERAL),
				Op.setData(this.paths.probe(), new byte[0], 0), Op.delete(this.paths.probe(), 1))
			.require(this.paths.namespace());
		this.storeId.set(readStoreId(call));
	}

	private void create(ZooKeeperCall call, String path, byte[] data) {
		call.execute(call.creation(path, data, CreateMode.PERSISTENT)).require(path, Code.NODEEXISTS);
	}

	private String readStoreId(ZooKeeperCall call) {
		ZooKeeperCall.Answer answer = call.execute(Op.getData(this.paths.storeId()));
		if (answer.known().get(0) instanceof OpResult.GetDataResult found) {
			return new String(found.getData(), StandardCharsets.UTF_8);
		}
		throw ZooKeeperFailures.of(answer.code(), this.paths.storeId());
	}

	private ZooKeeperCall connect(Attempt attempt) {
		CallTimeout timeout = new CallTimeout(TimeSource.SYSTEM, attempt.timeout(), "ZooKeeper");
		ZooKeeperSession present = this.client.session(attempt.timeout());
		this.session = present;
		if (present.timeout().compareTo(this.identity.ttl()) < 0) {
			throw ZooKeeperFailures.timeoutTooShort(present.timeout(), this.identity.ttl());
		}
		return new ZooKeeperCall(present, timeout, this.acl);
	}

	private boolean isUnproven(ZooKeeperCall call, Attempt attempt) {
		Moment counted = this.proofs.countedFrom(call.session(), attempt.sentAt());
		return counted == null || attempt.sentAt().since(counted).compareTo(this.identity.ttl().dividedBy(2)) > 0;
	}

	private CompletableFuture<ZooKeeperCall.Answer> sendProof(ZooKeeperCall call) {
		return call.send(List.of(Op.check(this.paths.namespace(), -1)));
	}

	private void prove(ZooKeeperCall call, Attempt attempt) {
		confirm(sendProof(call), call, attempt);
	}

	private void confirm(CompletableFuture<ZooKeeperCall.Answer> proof, ZooKeeperCall call, Attempt attempt) {
		call.await(proof).require(this.paths.namespace());
		this.proofs.add(call.session(), attempt.sentAt(), TimeSource.SYSTEM.now());
	}

}
