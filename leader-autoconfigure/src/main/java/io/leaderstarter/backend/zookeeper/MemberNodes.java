package io.leaderstarter.backend.zookeeper;

import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

import io.leaderstarter.backend.support.KnownMembers;
import io.leaderstarter.backend.support.StoreNames;
import io.leaderstarter.election.spi.Presence;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.jspecify.annotations.Nullable;

/**
 * The announcements of members, as ephemeral nodes. Each change is a node with another
 * name, so that the list of names is enough to find changes.
 */
final class MemberNodes {

	private final NodePaths paths;

	private final KnownMembers known = new KnownMembers();

	/** Starts with the current time, so that names differ from those of earlier runs. */
	private long version = System.currentTimeMillis();

	private @Nullable Own own;

	MemberNodes(NodePaths paths) {
		this.paths = paths;
	}

	/**
	 * Create the node of this member if needed, and read those of the others.
	 */
	Collection<Presence> announce(ZooKeeperCall call, Presence self) {
		Own present = this.own;
		if (present == null || present.session() != call.session().id() || !present.text().equals(self.text())) {
			make(call, self, present);
		}
		List<KnownMembers.Entry> nodes = list(call);
		Own made = this.own;
		if (made != null && nodes.stream().noneMatch((node) -> node.name().equals(made.name()))) {
			// The node was deleted. It is created again by the next call.
			this.own = null;
		}
		read(call, this.known.changed(nodes));
		return this.known.all();
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
		Op creation = call.creation(path(next.name()), self.text().getBytes(StandardCharsets.UTF_8),
				CreateMode.EPHEMERAL);
		ZooKeeperCall.Answer answer = call.execute(creation);
		if (answer.code() == Code.NONODE) {
			call.execute(call.creation(this.paths.members(), new byte[0], CreateMode.PERSISTENT))
				.require(this.paths.members(), Code.NODEEXISTS);
			answer = call.execute(creation);
		}
		answer.require(path(next.name()), Code.NODEEXISTS);
		this.own = next;
		if (former != null && former.session() == next.session()) {
			delete(call, former);
		}
	}

	private void delete(ZooKeeperCall call, Own node) {
		call.execute(Op.delete(path(node.name()), -1)).require(path(node.name()), Code.NONODE);
	}

	/** Sorted, so that all members leave out the same if there are too many. */
	private List<KnownMembers.Entry> list(ZooKeeperCall call) {
		ZooKeeperCall.Answer answer = call.execute(Op.getChildren(this.paths.members()));
		if (!(answer.known().get(0) instanceof OpResult.GetChildrenResult found)) {
			throw ZooKeeperFailures.of(answer.code(), this.paths.members());
		}
		return found.getChildren()
			.stream()
			.map(MemberNodes::entry)
			.filter(Objects::nonNull)
			.sorted(Comparator.comparing(KnownMembers.Entry::name))
			.toList();
	}

	/** Nodes that were deleted meanwhile are skipped. */
	private void read(ZooKeeperCall call, List<KnownMembers.Entry> nodes) {
		call.sendAll(nodes, (node) -> List.of(Op.getData(path(node.name()))), (node, answer) -> {
			if (answer.known().get(0) instanceof OpResult.GetDataResult found) {
				this.known.read(node, new String(found.getData(), StandardCharsets.UTF_8));
			}
		});
	}

	/** Of two nodes of one member the newer one has the greater version. */
	private static KnownMembers.@Nullable Entry entry(String name) {
		int at = name.lastIndexOf('@');
		try {
			return new KnownMembers.Entry(name, StoreNames.decode(name.substring(0, Math.max(0, at))),
					Long.parseLong(name.substring(at + 1)));
		}
		catch (IllegalArgumentException ex) {
			// Not created by a member.
			return null;
		}
	}

	private String path(String name) {
		return this.paths.members() + "/" + name;
	}

	/**
	 * The node of this member.
	 *
	 * @param name its name
	 * @param text its data
	 * @param session its session
	 */
	private record Own(String name, String text, long session) {
	}

}
