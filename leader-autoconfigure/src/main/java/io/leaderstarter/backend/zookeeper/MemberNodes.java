package io.leaderstarter.backend.zookeeper;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.leaderstarter.election.spi.Presence;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;

/**
 * What members say of themselves, as nodes that live as long as their sessions. What
 * changes gets a node with another name, so a look at the names alone tells what has to
 * be read.
 */
final class MemberNodes {

	private final NodePaths paths;

	private final List<ACL> acl;

	/** By the name of the node. */
	private final Map<String, Presence> known = new HashMap<>();

	/** Begins with the time of day, so that nobody takes a node for that of before. */
	private long version = System.currentTimeMillis();

	private @Nullable Own own;

	MemberNodes(NodePaths paths, List<ACL> acl) {
		this.paths = paths;
		this.acl = acl;
	}

	/**
	 * Makes the node of this member if need be, and reads those of the others.
	 */
	Collection<Presence> announce(ZooKeeperCall call, Presence self) {
		Own present = this.own;
		if (present == null || present.session() != call.session().id() || !present.text().equals(self.text())) {
			make(call, self, present);
		}
		List<MemberNode> nodes = list(call);
		if (nodes.stream().noneMatch((node) -> node.isNamed(this.own))) {
			// Somebody deleted it. It is made again the next time.
			this.own = null;
		}
		List<String> names = nodes.stream().map(MemberNode::name).toList();
		this.known.keySet().retainAll(names);
		read(call, nodes.stream().filter((node) -> !this.known.containsKey(node.name())).toList());
		// Of a member whose session was lost the former node may still be there.
		Map<String, Presence> latest = new LinkedHashMap<>();
		nodes.stream()
			.sorted((one, other) -> Long.compare(one.version(), other.version()))
			.filter((node) -> this.known.containsKey(node.name()))
			.forEach((node) -> latest.put(node.member(), this.known.get(node.name())));
		return latest.values();
	}

	void withdraw(ZooKeeperCall call) {
		Own present = this.own;
		this.own = null;
		if (present != null && present.session() == call.session().id()) {
			delete(call, present);
		}
	}

	private void make(ZooKeeperCall call, Presence self, @Nullable Own former) {
		this.version++;
		Own next = new Own(NodePaths.encode(self.member()) + "@" + this.version, self.text(), call.session().id());
		Code code = create(call, path(next.name()), self.text(), CreateMode.EPHEMERAL);
		if (code == Code.NONODE) {
			require(create(call, this.paths.members(), "", CreateMode.PERSISTENT), this.paths.members());
			code = create(call, path(next.name()), self.text(), CreateMode.EPHEMERAL);
		}
		require(code, path(next.name()));
		this.own = next;
		if (former != null && former.session() == next.session()) {
			delete(call, former);
		}
	}

	private Code create(ZooKeeperCall call, String path, String data, CreateMode mode) {
		return call.await(call.send(List.of(Op.create(path, data.getBytes(StandardCharsets.UTF_8), this.acl, mode))))
			.code();
	}

	private void delete(ZooKeeperCall call, Own node) {
		Code code = call.await(call.send(List.of(Op.delete(path(node.name()), -1)))).code();
		if (code != Code.NONODE) {
			require(code, path(node.name()));
		}
	}

	private List<MemberNode> list(ZooKeeperCall call) {
		ZooKeeperCall.Answer answer = call.await(call.send(List.of(Op.getChildren(this.paths.members()))));
		if (!(answer.known().get(0) instanceof OpResult.GetChildrenResult found)) {
			throw ZooKeeperFailures.of(answer.code(), this.paths.members());
		}
		List<MemberNode> nodes = new ArrayList<>();
		for (String name : found.getChildren()) {
			MemberNode node = MemberNode.of(name);
			if (node != null) {
				nodes.add(node);
			}
		}
		return nodes;
	}

	/** A node that is gone by now has no more to say. */
	private void read(ZooKeeperCall call, List<MemberNode> nodes) {
		Map<MemberNode, CompletableFuture<ZooKeeperCall.Answer>> sent = new LinkedHashMap<>();
		for (MemberNode node : nodes) {
			sent.put(node, call.send(List.of(Op.getData(path(node.name())))));
		}
		sent.forEach((node, future) -> {
			if (call.await(future).known().get(0) instanceof OpResult.GetDataResult found
					&& found.getData().length <= Presence.LONGEST_TEXT) {
				this.known.put(node.name(),
						new Presence(node.member(), new String(found.getData(), StandardCharsets.UTF_8)));
			}
		});
	}

	private String path(String name) {
		return this.paths.members() + "/" + name;
	}

	private static void require(Code code, String path) {
		if (code != Code.OK && code != Code.NODEEXISTS) {
			throw ZooKeeperFailures.of(code, path);
		}
	}

	/**
	 * The node of this member.
	 *
	 * @param name its name
	 * @param text what it holds
	 * @param session what it lives with
	 */
	private record Own(String name, String text, long session) {
	}

	/**
	 * A node by its name.
	 *
	 * @param name its name
	 * @param member whose node it is
	 * @param version the later of two of one member is the greater one
	 */
	private record MemberNode(String name, String member, long version) {

		private static @Nullable MemberNode of(String name) {
			int at = name.lastIndexOf('@');
			try {
				return new MemberNode(name, NodePaths.decode(name.substring(0, Math.max(0, at))),
						Long.parseLong(name.substring(at + 1)));
			}
			catch (IllegalArgumentException ex) {
				// No member has made that.
				return null;
			}
		}

		private boolean isNamed(@Nullable Own own) {
			return own != null && own.name().equals(this.name);
		}

	}

}
