package io.leaderstarter.election;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

import io.leaderstarter.RevocationReason;
import io.leaderstarter.election.spi.Moment;
import io.leaderstarter.election.state.RoleEffect;
import io.leaderstarter.election.state.RoleInput;
import io.leaderstarter.election.state.RoleState.Holder;
import io.leaderstarter.election.state.RoleState;
import org.jspecify.annotations.Nullable;

/**
 * Counts and history of a role for display. Nothing is decided by it.
 */
final class RoleRecord {

	private static final int LONGEST_HISTORY = 8;

	/**
	 * Thousands of roles have one each, so it is short, and grows with the first change.
	 */
	private final Deque<RoleStatus.Change> history = new ArrayDeque<>(2);

	private final LongAdder granted = new LongAdder();

	private final LongAdder revoked = new LongAdder();

	private final LongAdder executed = new LongAdder();

	private final LongAdder skipped = new LongAdder();

	/** When this member first saw that no member leads. */
	private volatile @Nullable Moment vacantSince;

	private volatile @Nullable Duration vacancy;

	void vacantSince(@Nullable Moment vacantSince) {
		this.vacantSince = vacantSince;
	}

	void executed() {
		this.executed.increment();
	}

	void skipped() {
		this.skipped.increment();
	}

	void announced(RoleEffect effect, Moment now) {
		if (effect instanceof RoleEffect.AnnounceGranted) {
			this.granted.increment();
			Moment vacant = this.vacantSince;
			this.vacancy = (vacant != null) ? now.since(vacant) : null;
		}
		else if (effect instanceof RoleEffect.AnnounceRevoked) {
			this.revoked.increment();
		}
	}

	void changed(RoleState before, RoleState after, RoleInput input, Moment now) {
		// Of two states that follow each other one is a term.
		Holder holder = (after instanceof Holder then) ? then : (Holder) before;
		RevocationReason reason = holder.reason();
		String why = (reason != null) ? reason.name() : null;
		if (input instanceof RoleInput.GateFailed failed && why == null) {
			why = failed.reason();
		}
		RoleStatus.Change change = new RoleStatus.Change(Instant.ofEpochMilli(now.wallMillis()), before.name(),
				after.name(), holder.leadership().epoch(), why);
		synchronized (this.history) {
			if (this.history.size() == LONGEST_HISTORY) {
				this.history.removeFirst();
			}
			this.history.addLast(change);
		}
	}

	/**
	 * How long no member led before the last term began, {@code null} if that is not
	 * known.
	 */
	@Nullable Duration vacancy() {
		return this.vacancy;
	}

	RoleStatus.Counts counts() {
		return new RoleStatus.Counts(this.granted.sum(), this.revoked.sum(), this.executed.sum(), this.skipped.sum());
	}

	/** The last changes, the oldest first. */
	List<RoleStatus.Change> history() {
		synchronized (this.history) {
			return List.copyOf(this.history);
		}
	}

}
