package io.leaderstarter.election;

import java.time.Duration;
import java.time.Instant;
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
 * What is kept of a role to be shown: nothing here decides anything.
 */
final class RoleRecord {

	private final RoleHistory history = new RoleHistory();

	private final LongAdder granted = new LongAdder();

	private final LongAdder revoked = new LongAdder();

	private final LongAdder executed = new LongAdder();

	private final LongAdder skipped = new LongAdder();

	/** When this member first saw that nobody leads. */
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
		this.history.add(new RoleChange(Instant.ofEpochMilli(now.wallMillis()), before.name(), after.name(),
				holder.leadership().epoch(), why));
	}

	/**
	 * How long nobody led before the last term began, {@code null} if that is not known.
	 */
	@Nullable Duration vacancy() {
		return this.vacancy;
	}

	RoleCounts counts() {
		return new RoleCounts(this.granted.sum(), this.revoked.sum(), this.executed.sum(), this.skipped.sum());
	}

	List<RoleChange> history() {
		return this.history.changes();
	}

}
