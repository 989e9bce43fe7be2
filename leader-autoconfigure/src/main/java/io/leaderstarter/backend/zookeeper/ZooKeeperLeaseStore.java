package io.leaderstarter.backend.zookeeper;

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

import io.leaderstarter.election.spi.Attempt;
import io.leaderstarter.election.spi.LeaseKey;
import io.leaderstarter.election.spi.LeaseRequest;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.LeaseView;
import io.leaderstarter.election.spi.Moment;
import io.leaderstarter.election.spi.Presence;
import io.leaderstarter.election.spi.Renewal;
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

	private static final Duration LONGEST_POLL = Duration.ofSeconds(5);

	private static final Duration POLL_WITHOUT_WATCH = Duration.ofSeconds(1);

	private static final Duration POLL_UNTIL_PROVEN = Duration.ofMillis(250);

	private final ZooKeeperClient client;

	private final StoreIdentity identity;

	private final ZooKeeperLeaseProperties properties;

	private final NodePaths paths;

	private final List<ACL> acl;

	private final ZooKeeperPreparation preparation;

	private final RoleNodes nodes;

	private final HeldLeases held;

	private final MemberNodes members;

	private final SessionProofs proofs;

	private final Map<String, RoleNodes.RoleNode> seen = new HashMap<>();

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
		this.preparation = new ZooKeeperPreparation(this.paths, this.acl);
		this.nodes = new RoleNodes(this.paths, this.acl, identity.ttl());
		this.held = new HeldLeases(this.paths);
		this.members = new MemberNodes(this.paths, this.acl);
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
	public String authority() {
		return this.preparation.authority();
	}

	@Override
	public void setListener(StoreListener listener) {
		this.freed = new FreedRoles(listener::onMaybeFree);
	}

	@Override
	public void prepare() {
		this.client.start();
		Duration patience = this.properties.connectionTimeout();
		if (this.client.connect(patience)) {
			Attempt attempt = new Attempt(TimeSource.SYSTEM.now(), patience);
			ZooKeeperCall call = connect(attempt);
			this.preparation.prepare(call);
			prove(call, attempt);
		}
	}

	/**
	 * Long while the servers tell when a role is freed, but often enough that they hear
	 * of us: a lease is counted from the last time that they certainly did.
	 */
	@Override
	public Duration pollInterval() {
		ZooKeeperSession present = this.session;
		if (this.unproven) {
			return POLL_UNTIL_PROVEN;
		}
		if (present == null || !this.freed.isWatching(present.id()) || !this.client.isConnected()) {
			return POLL_WITHOUT_WATCH;
		}
		Duration fifth = this.identity.ttl().dividedBy(5);
		return (fifth.compareTo(LONGEST_POLL) < 0) ? fifth : LONGEST_POLL;
	}

	@Override
	public List<LeaseView> observe(Collection<String> roles, Attempt attempt) {
		ZooKeeperCall call = begin(attempt);
		// Before looking, so that what is freed behind our back is heard of.
		this.freed.watch(call, this.paths.namespace());
		CompletableFuture<ZooKeeperCall.Answer> proof = this.proofs.isDue(call.session(), attempt.sentAt())
				? sendProof(call) : null;
		List<LeaseView> views = new ArrayList<>();
		for (RoleNodes.RoleNode node : this.nodes.read(call, roles)) {
			this.seen.put(node.role(), node);
			views.add(new LeaseView(node.role(), node.last().epoch(), owner(node, call.session())));
		}
		if (proof != null) {
			confirm(proof, call, attempt);
		}
		this.unproven = this.unproven && isUnproven(call, attempt);
		return views;
	}

	/**
	 * Asks for nothing while a lease could not be counted from a recent moment: its term
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
		Map<LeaseRequest, CompletableFuture<ZooKeeperCall.Answer>> sent = new LinkedHashMap<>();
		for (LeaseRequest request : requests) {
			RoleNodes.RoleNode node = this.seen.get(request.role());
			if (node != null && node.last().epoch() == request.observedEpoch() && hasNextVersion(node)) {
				sent.put(request, call.send(taking(request, node.version())));
			}
		}
		Set<LeaseKey> granted = new LinkedHashSet<>();
		sent.forEach((request, future) -> {
			if (isTaken(request, call.await(future), call.session())) {
				granted.add(request.key());
			}
		});
		if (!granted.isEmpty()) {
			this.proofs.add(call.session(), attempt.sentAt(), TimeSource.SYSTEM.now());
		}
		return granted;
	}

	@Override
	public Moment countedFrom(Moment sentAt) {
		ZooKeeperSession present = this.session;
		Moment counted = (present != null) ? this.proofs.countedFrom(present, sentAt) : null;
		// So long ago that nothing is valid any more, if nothing is known.
		return (counted != null) ? counted : sentAt.plus(this.identity.ttl().negated());
	}

	@Override
	public Renewal renew(Collection<LeaseKey> leases, Attempt attempt) {
		ZooKeeperCall call = begin(attempt);
		List<LeaseKey> kept = this.held.check(call, leases);
		if (!kept.isEmpty()) {
			this.proofs.add(call.session(), attempt.sentAt(), TimeSource.SYSTEM.now());
		}
		return new Renewal(new LinkedHashSet<>(kept), countedFrom(attempt.sentAt()));
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

	/** A session that still holds what nobody released is left, not ended. */
	@Override
	public void close() {
		this.freed.close(this.session, this.paths.namespace());
		this.client.close(this.held.isEmpty());
	}

	/** For tests that take the session away. */
	ZooKeeperClient client() {
		return this.client;
	}

	private ZooKeeperCall begin(Attempt attempt) {
		ZooKeeperCall call = connect(attempt);
		this.preparation.prepareOnce(call);
		return call;
	}

	private ZooKeeperCall connect(Attempt attempt) {
		long end = ZooKeeperCall.end(attempt.timeout());
		ZooKeeperSession present = this.client.session(attempt.timeout());
		this.session = present;
		if (present.timeout().compareTo(this.identity.ttl()) < 0) {
			throw ZooKeeperFailures.timeoutTooShort(present.timeout(), this.identity.ttl());
		}
		return new ZooKeeperCall(present, end);
	}

	/**
	 * What is held by a former session of ours is not ours any more: it may end at any
	 * time, whatever we do.
	 */
	private LeaseView.@Nullable Owner owner(RoleNodes.RoleNode node, ZooKeeperSession present) {
		LeaseRecord leader = node.leader();
		if (leader == null) {
			return null;
		}
		if (!leader.member().equals(this.identity.member())) {
			return new LeaseView.Owner(leader.member(), leader.tenure(), null);
		}
		if (node.session() != present.id()) {
			return new LeaseView.Owner(this.identity.member() + " (former session)", leader.tenure(), null);
		}
		if (leader.equals(node.last())) {
			this.held.add(new LeaseKey(node.role(), leader.epoch(), leader.tenure()), present.id(), node.version());
		}
		return new LeaseView.Owner(this.identity.member(), leader.tenure(), null);
	}

	/** After the last version the next is negative, and -1 means any. */
	private static boolean hasNextVersion(RoleNodes.RoleNode node) {
		return node.version() >= 0 && node.version() < Integer.MAX_VALUE;
	}

	private List<Op> taking(LeaseRequest request, int version) {
		byte[] data = LeaseRecord.of(request, this.identity).write(this.identity.ttl());
		return List.of(Op.setData(this.paths.role(request.role()), data, version),
				Op.create(this.paths.leader(request.role()), data, this.acl, CreateMode.EPHEMERAL));
	}

	private boolean isTaken(LeaseRequest request, ZooKeeperCall.Answer answer, ZooKeeperSession present) {
		if (answer.isOk() && answer.known().get(0) instanceof OpResult.SetDataResult set) {
			this.held.add(request.key(), present.id(), set.getStat().getVersion());
			this.seen.remove(request.role());
			return true;
		}
		if (answer.code() != Code.BADVERSION && answer.code() != Code.NODEEXISTS && answer.code() != Code.NONODE) {
			throw ZooKeeperFailures.of(answer.code(), this.paths.role(request.role()));
		}
		return false;
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
		ZooKeeperCall.Answer answer = call.await(proof);
		if (!answer.isOk()) {
			throw ZooKeeperFailures.of(answer.code(), this.paths.namespace());
		}
		this.proofs.add(call.session(), attempt.sentAt(), TimeSource.SYSTEM.now());
	}

}
