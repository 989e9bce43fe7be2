package io.leaderstarter.election.adversary;

import java.util.ArrayList;
import java.util.List;

import javax.sql.DataSource;

/**
 * The nodes of an election, the network between them, which can be parted, and the
 * servers that all of them know.
 */
final class ClassicNodes {

	private final Classic kind;

	private final DataSource database;

	private final LockElections.Key key = new LockElections.Key();

	private final List<ClassicElection> nodes = new ArrayList<>();

	private ClassicElection cutOff;

	ClassicNodes(Classic kind, DataSource database) {
		this.kind = kind;
		this.database = database;
	}

	synchronized ClassicElection join(String member) {
		ClassicElection node = this.kind.make(this, member);
		this.nodes.add(node);
		return node;
	}

	/** Make the election give the role to a second node. */
	void disturb(ClassicElection leader) {
		this.kind.disturb(this, leader);
	}

	/** From now on nothing reaches this node, and it reaches nothing. */
	synchronized void cutOff(ClassicElection node) {
		this.cutOff = node;
	}

	boolean isCutOff(ClassicElection node) {
		return this.cutOff == node;
	}

	int size() {
		return this.nodes.size();
	}

	int number(ClassicElection node) {
		return this.nodes.indexOf(node);
	}

	List<ClassicElection> others(ClassicElection node) {
		return this.nodes.stream().filter((other) -> other != node).toList();
	}

	/** The nodes that one can reach, itself among them. */
	List<ClassicElection> reachable(ClassicElection node) {
		return this.nodes.stream().filter((other) -> other == node || (!isCutOff(node) && !isCutOff(other))).toList();
	}

	DataSource database() {
		return this.database;
	}

	LockElections.Key key() {
		return this.key;
	}

}
