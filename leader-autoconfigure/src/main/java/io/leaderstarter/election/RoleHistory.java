package io.leaderstarter.election;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * The last changes of a role on this member. Thousands of roles have one each, so it is
 * short, and is made with the first change.
 */
final class RoleHistory {

	private static final int LONGEST = 8;

	private final Deque<RoleChange> changes = new ArrayDeque<>(2);

	synchronized void add(RoleChange change) {
		if (this.changes.size() == LONGEST) {
			this.changes.removeFirst();
		}
		this.changes.addLast(change);
	}

	/** The oldest first. */
	synchronized List<RoleChange> changes() {
		return List.copyOf(this.changes);
	}

}
