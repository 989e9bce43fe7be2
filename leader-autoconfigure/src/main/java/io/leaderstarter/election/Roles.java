package io.leaderstarter.election;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;

import io.leaderstarter.LeaderElection;
import io.leaderstarter.election.state.RoleName;
import org.jspecify.annotations.Nullable;

/**
 * The roles of this member: those it joined, those that a thread waits for, and those
 * that it left but may still hold a lease of.
 * <p>
 * They are added and removed under one lock, so that a role has one election at a time,
 * and none is removed that is needed.
 */
final class Roles {

	private final ConcurrentSkipListMap<String, RoleElection> elections = new ConcurrentSkipListMap<>();

	private final ReentrantLock membership = new ReentrantLock();

	private final List<Consumer<LeaderElection>> joinListeners = new CopyOnWriteArrayList<>();

	private final List<Consumer<String>> leaveListeners = new CopyOnWriteArrayList<>();

	private final Function<String, RoleElection> maker;

	private volatile boolean paused;

	/**
	 * Create the roles, which are none.
	 * @param maker makes the election for a role
	 */
	Roles(Function<String, RoleElection> maker) {
		this.maker = maker;
	}

	Collection<RoleElection> all() {
		return this.elections.values();
	}

	Collection<String> names() {
		return this.elections.keySet();
	}

	@Nullable RoleElection find(String role) {
		return this.elections.get(role);
	}

	/** Add a role that this member competes for whenever it may. */
	RoleElection join(String role) {
		return needed(role, Participation::join);
	}

	/** Add a role for as long as a thread waits for it. */
	RoleElection beginWaiting(String role) {
		return needed(role, Participation::contend);
	}

	/** Remove a role that no thread waits for any more, unless it was joined. */
	void endWaiting(RoleElection election) {
		this.membership.lock();
		try {
			election.participation().endContention();
			if (!election.participation().isJoined() && !election.participation().isContended()) {
				election.leave();
			}
		}
		finally {
			this.membership.unlock();
		}
	}

	@Nullable RoleElection leave(String role) {
		this.membership.lock();
		try {
			RoleElection election = this.elections.get(role);
			if (election != null) {
				election.leave();
			}
			return election;
		}
		finally {
			this.membership.unlock();
		}
	}

	/**
	 * Forget a role that was left, unless it is needed again. Called when nothing of it
	 * is held and no request for it is under way: what is not known is neither watched
	 * nor released.
	 */
	void forget(RoleElection election) {
		this.membership.lock();
		try {
			if (!election.isGone() || !election.isFollower()) {
				return;
			}
			election.forget();
			this.elections.remove(election.role(), election);
			// Before the role can be joined again, of which others are notified as well.
			this.leaveListeners.forEach((listener) -> listener.accept(election.role()));
		}
		finally {
			this.membership.unlock();
		}
	}

	void pause() {
		if (!this.paused) {
			TransitionLog.paused("any role");
		}
		this.paused = true;
		all().forEach(RoleElection::pauseQuietly);
	}

	void resume() {
		if (this.paused || all().stream().anyMatch(RoleElection::isPaused)) {
			TransitionLog.resumed("its roles");
		}
		this.paused = false;
		all().forEach(RoleElection::resumeQuietly);
	}

	void addJoinListener(Consumer<LeaderElection> listener) {
		this.joinListeners.add(listener);
		all().forEach(listener);
	}

	void addLeaveListener(Consumer<String> listener) {
		this.leaveListeners.add(listener);
	}

	private RoleElection needed(String role, Consumer<Participation> why) {
		this.membership.lock();
		try {
			RoleElection present = this.elections.get(role);
			if (present != null) {
				present.participation().comeBack();
				why.accept(present.participation());
				return present;
			}
			RoleElection election = this.maker.apply(RoleName.check(role));
			if (this.paused) {
				election.pauseQuietly();
			}
			// First, or a poll at this moment would put the role off until the next one.
			why.accept(election.participation());
			this.elections.put(role, election);
			this.joinListeners.forEach((listener) -> listener.accept(election));
			return election;
		}
		finally {
			this.membership.unlock();
		}
	}

}
