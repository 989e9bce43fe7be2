package io.leaderstarter.backend.zookeeper;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import io.leaderstarter.backend.support.Chunks;
import io.leaderstarter.backend.support.KnownRoles;
import io.leaderstarter.backend.support.LeaseRecord;
import io.leaderstarter.backend.support.StoredRole;
import io.leaderstarter.election.spi.LeaseKey;
import io.leaderstarter.election.spi.LeaseRequest;
import io.leaderstarter.election.spi.LeaseView;
import io.leaderstarter.election.spi.StoreIdentity;
import io.leaderstarter.election.spi.TimeSource;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes the nodes of roles, many in one request.
 */
final class RoleNodes {

	/**
	 * By default servers and clients close the connection if a message is longer than 1
	 * MB.
	 */
	static final int MOST_BYTES = 512 * 1024;

	/** The maximum size of two nodes in an answer, without their paths. */
	private static final int ANSWER_BYTES = 2048;

	/** The size of a check in a request, without its path. */
	private static final int CHECK_BYTES = 32;

	private final NodePaths paths;

	private final StoreIdentity identity;

	private final KnownRoles<Grant> known;

	RoleNodes(NodePaths paths, StoreIdentity identity) {
		this.paths = paths;
		this.identity = identity;
		this.known = new KnownRoles<>(identity, "former session");
	}

	boolean isNoneHeld() {
		return this.known.isNoneHeld();
	}

	/** Read roles, and create missing nodes. */
	List<LeaseView> observe(ZooKeeperCall call, Collection<String> roles) {
		List<LeaseView> views = new ArrayList<>();
		List<String> missing = new ArrayList<>();
		List<List<String>> chunks = Chunks.of(roles, MOST_BYTES,
				(role) -> 2 * this.paths.role(role).length() + ANSWER_BYTES);
		call.sendAll(chunks, this::reading, (chunk, answer) -> {
			List<OpResult> results = answer.known();
			for (int i = 0; i < chunk.size(); i++) {
				String role = chunk.get(i);
				OpResult.GetDataResult node = found(results.get(2 * i), this.paths.role(role));
				OpResult.GetDataResult leader = found(results.get(2 * i + 1), this.paths.leader(role));
				if (node == null) {
					missing.add(role);
				}
				views.add(observed(call.session().id(), role, node, leader));
			}
		});
		create(call, missing);
		return views;
	}

	Set<LeaseKey> take(ZooKeeperCall call, List<LeaseRequest> requests) {
		Map<LeaseRequest, StoredRole> possible = this.known.takeable(requests);
		// The version after the maximum is negative, and -1 matches any.
		possible.values().removeIf((role) -> role.version() < 0 || role.version() >= Integer.MAX_VALUE);
		Set<LeaseKey> granted = new LinkedHashSet<>();
		call.sendAll(possible.entrySet(), (one) -> taking(call, one.getKey(), (int) one.getValue().version()),
				(one, answer) -> {
					LeaseKey lease = one.getKey().key();
					if (answer.isOk() && answer.known().get(0) instanceof OpResult.SetDataResult set) {
						this.known.granted(lease, new Grant(call.session().id(), set.getStat().getVersion()));
						granted.add(lease);
					}
					answer.require(this.paths.role(lease.role()), Code.BADVERSION, Code.NODEEXISTS, Code.NONODE);
				});
		return granted;
	}

	/**
	 * Return those that are still held, by one request for all that needs a majority of
	 * the servers. The version of the role changes with every grant; that of the leader's
	 * node would be the same for a successor.
	 */
	Set<LeaseKey> check(ZooKeeperCall call, Collection<LeaseKey> leases) {
		Map<LeaseKey, Op> asked = new LinkedHashMap<>();
		for (LeaseKey lease : leases) {
			Grant grant = this.known.proof(lease);
			if (grant != null && grant.session() == call.session().id()) {
				asked.put(lease, check(lease, grant));
			}
			else {
				// Its node was deleted with its session, or will be soon.
				this.known.forget(lease);
			}
		}
		Set<LeaseKey> kept = new LinkedHashSet<>();
		for (List<Map.Entry<LeaseKey, Op>> chunk : Chunks.of(asked.entrySet(), MOST_BYTES,
				(check) -> check.getValue().getPath().length() + CHECK_BYTES)) {
			checkTogether(call, chunk);
			chunk.forEach((check) -> kept.add(check.getKey()));
		}
		return kept;
	}

	/** Free leases that are still held. */
	void release(ZooKeeperCall call, Collection<LeaseKey> leases) {
		Map<LeaseKey, Grant> held = this.known.forget(leases);
		held.values().removeIf((grant) -> grant.session() != call.session().id());
		call.sendAll(held.entrySet(), this::freeing, (freed, answer) -> {
			if (answer.failed() < 0 && !answer.isOk() || answer.code() == Code.NOAUTH) {
				throw ZooKeeperFailures.of(answer.code(), this.paths.leader(freed.getKey().role()));
			}
		});
	}

	private List<Op> freeing(Map.Entry<LeaseKey, Grant> held) {
		return List.of(check(held.getKey(), held.getValue()), Op.delete(this.paths.leader(held.getKey().role()), -1));
	}

	private List<Op> reading(List<String> roles) {
		return roles.stream()
			.flatMap((role) -> Stream.of(Op.getData(this.paths.role(role)), Op.getData(this.paths.leader(role))))
			.toList();
	}

	private Op check(LeaseKey lease, Grant grant) {
		return Op.check(this.paths.role(lease.role()), grant.version());
	}

	/** One that fails makes all fail, so the request is repeated without it. */
	private void checkTogether(ZooKeeperCall call, List<Map.Entry<LeaseKey, Op>> chunk) {
		while (!chunk.isEmpty()) {
			ZooKeeperCall.Answer answer = call.await(call.send(chunk.stream().map(Map.Entry::getValue).toList()));
			if (answer.isOk()) {
				return;
			}
			int failed = answer.failed();
			if (failed < 0 || (answer.code() != Code.BADVERSION && answer.code() != Code.NONODE)) {
				throw ZooKeeperFailures.of(answer.code(), "the leases that are held");
			}
			this.known.forget(chunk.remove(failed).getKey());
		}
	}

	private List<Op> taking(ZooKeeperCall call, LeaseRequest request, int version) {
		byte[] data = write(LeaseRecord.of(request, this.identity));
		return List.of(Op.setData(this.paths.role(request.role()), data, version),
				call.creation(this.paths.leader(request.role()), data, CreateMode.EPHEMERAL));
	}

	private byte[] write(LeaseRecord record) {
		return record.write(this.identity.ttl(), TimeSource.SYSTEM.now());
	}

	private static OpResult.@Nullable GetDataResult found(OpResult result, String path) {
		if (result instanceof OpResult.GetDataResult found) {
			return found;
		}
		Code code = (result instanceof OpResult.ErrorResult error) ? Code.get(error.getErr()) : Code.SYSTEMERROR;
		if (code != Code.NONODE) {
			throw ZooKeeperFailures.of(code, path);
		}
		return null;
	}

	private LeaseView observed(long session, String role, OpResult.@Nullable GetDataResult node,
			OpResult.@Nullable GetDataResult leader) {
		int version = (node != null) ? node.getStat().getVersion() : 0;
		boolean own = leader != null && leader.getStat().getEphemeralOwner() == session;
		return this.known.observed(
				new StoredRole(role, (node != null) ? LeaseRecord.read(node.getData()) : LeaseRecord.NONE, version,
						(leader != null) ? LeaseRecord.read(leader.getData()) : null),
				own ? new Grant(session, version) : null);
	}

	/**
	 * Create nodes that are never deleted, as an epoch must not be granted twice. Other
	 * members may do the same at the same time.
	 */
	private void create(ZooKeeperCall call, List<String> roles) {
		call.sendAll(roles,
				(role) -> List.of(call.creation(this.paths.role(role), write(LeaseRecord.NONE), CreateMode.PERSISTENT)),
				(role, answer) -> answer.require(this.paths.role(role), Code.NODEEXISTS));
	}

	/**
	 * The proof of a lease.
	 *
	 * @param session the session of the leader's node
	 * @param version of the role's node after the grant
	 */
	private record Grant(long session, int version) {
	}

}
