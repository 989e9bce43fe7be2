package io.leaderstarter.backend.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * Reads the nodes of roles, many in one request, and makes those that are not there.
 */
final class RoleNodes {

	/** What two nodes take in an answer at the most, their paths apart. */
	private static final int ANSWER_BYTES = 2048;

	private final NodePaths paths;

	private final List<ACL> acl;

	private final Duration ttl;

	RoleNodes(NodePaths paths, List<ACL> acl, Duration ttl) {
		this.paths = paths;
		this.acl = acl;
		this.ttl = ttl;
	}

	List<RoleNode> read(ZooKeeperCall call, Collection<String> roles) {
		Map<List<String>, CompletableFuture<ZooKeeperCall.Answer>> sent = new LinkedHashMap<>();
		for (List<String> chunk : Chunks.of(roles, this::bytes)) {
			sent.put(chunk, call.send(operations(chunk)));
		}
		List<RoleNode> nodes = new ArrayList<>();
		List<String> missing = new ArrayList<>();
		sent.forEach((chunk, future) -> {
			List<OpResult> results = call.await(future).known();
			for (int i = 0; i < chunk.size(); i++) {
				String role = chunk.get(i);
				OpResult.GetDataResult node = found(results.get(2 * i), this.paths.role(role));
				OpResult.GetDataResult leader = found(results.get(2 * i + 1), this.paths.leader(role));
				if (node == null) {
					missing.add(role);
				}
				nodes.add(RoleNode.of(role, node, leader));
			}
		});
		create(call, missing);
		return nodes;
	}

	private int bytes(String role) {
		return 2 * this.paths.role(role).length() + ANSWER_BYTES;
	}

	private List<Op> operations(List<String> roles) {
		List<Op> operations = new ArrayList<>();
		for (String role : roles) {
			operations.add(Op.getData(this.paths.role(role)));
			operations.add(Op.getData(this.paths.leader(role)));
		}
		return operations;
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

	/**
	 * Makes nodes that are never deleted: an epoch must not be given out again. It does
	 * no harm if others make them at the same time.
	 */
	private void create(ZooKeeperCall call, List<String> roles) {
		Map<String, CompletableFuture<ZooKeeperCall.Answer>> sent = new LinkedHashMap<>();
		for (String role : roles) {
			sent.put(this.paths.role(role), call.send(List.of(Op.create(this.paths.role(role),
					LeaseRecord.NONE.write(this.ttl), this.acl, CreateMode.PERSISTENT))));
		}
		sent.forEach((path, future) -> {
			ZooKeeperCall.Answer answer = call.await(future);
			if (!answer.isOk() && answer.code() != Code.NODEEXISTS) {
				throw ZooKeeperFailures.of(answer.code(), path);
			}
		});
	}

	/**
	 * A role as it was read.
	 *
	 * @param role its name
	 * @param last what was granted last
	 * @param version of the node, which changes with every grant
	 * @param leader who leads, {@code null} if nobody does
	 * @param session who the leader's node lives with
	 */
	record RoleNode(String role, LeaseRecord last, int version, @Nullable LeaseRecord leader, long session) {

		private static RoleNode of(String role, OpResult.@Nullable GetDataResult node,
				OpResult.@Nullable GetDataResult leader) {
			Stat stat = (leader != null) ? leader.getStat() : new Stat();
			return new RoleNode(role, (node != null) ? LeaseRecord.read(node.getData()) : LeaseRecord.NONE,
					(node != null) ? node.getStat().getVersion() : 0,
					(leader != null) ? LeaseRecord.read(leader.getData()) : null, stat.getEphemeralOwner());
		}

	}

}
