package io.leaderstarter.election;

import java.time.Duration;
import java.util.Collection;
import java.util.function.Supplier;

import io.leaderstarter.election.spi.Moment;
import io.leaderstarter.election.spi.TimeSource;
import io.leaderstarter.election.state.LeaseTiming;
import io.leaderstarter.election.state.RoleInput;
import io.leaderstarter.election.state.RoleState;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Ends terms whose deadline has passed, and lets go of roles whose calls do not end. It
 * has a thread of its own and talks to nobody, so that it is on time even while a request
 * to the store hangs.
 */
final class DeadlineWatchdog {

	private static final Log logger = LogFactory.getLog(DeadlineWatchdog.class);

	/** Thousands of roles may wait for one gate, each for its turn. */
	private static final int TTLS_FOR_THE_GATE = 10;

	private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

	private final Supplier<? extends Collection<RoleElection>> elections;

	private final TimeSource time;

	private final Duration drainTimeout;

	private final Duration longestWait;

	private final Duration gateTimeout;

	private final PauseDetector pauses;

	DeadlineWatchdog(Supplier<? extends Collection<RoleElection>> elections, TimeSource time, LeaseTiming timing,
			Duration drainTimeout, PauseDetector pauses) {
		this.pauses = pauses;
		this.elections = elections;
		this.time = time;
		this.drainTimeout = drainTimeout;
		this.gateTimeout = timing.ttl().multipliedBy(TTLS_FOR_THE_GATE);
		// No term can begin and end within a tenth of the ttl, so none is overlooked.
		Duration tenth = timing.ttl().dividedBy(10);
		this.longestWait = (tenth.compareTo(LONGEST_WAIT) < 0) ? tenth : LONGEST_WAIT;
	}

	/**
	 * Looks once at every term.
	 * @return how long to wait before the next look
	 */
	Duration look() {
		this.pauses.awake();
		Moment now = this.time.now();
		long wait = this.longestWait.toNanos();
		for (RoleElection election : this.elections.get()) {
			if (election.state() instanceof RoleState.Holder holder) {
				wait = Math.min(wait, look(election, holder, now));
			}
		}
		this.pauses.waits(Duration.ofNanos(wait));
		return Duration.ofNanos(wait);
	}

	private long look(RoleElection election, RoleState.Holder holder, Moment now) {
		if (holder.phase() == RoleState.Phase.LOST || holder.phase() == RoleState.Phase.RELEASING) {
			return Long.MAX_VALUE;
		}
		long left = holder.deadline().nanosLeft(now);
		if (left <= 0) {
			election.apply(RoleInput.Tick.INSTANCE);
			return Long.MAX_VALUE;
		}
		Moment since = election.phaseSince();
		if (since != null && holder.phase() == RoleState.Phase.LEAVING) {
			long drainLeft = this.drainTimeout.minus(now.since(since)).toNanos();
			if (drainLeft <= 0) {
				election.apply(new RoleInput.DrainTimedOut(holder.leadership().termId()));
			}
			else {
				left = Math.min(left, drainLeft);
			}
		}
		if (since != null && holder.phase() == RoleState.Phase.ACQUIRED
				&& now.since(since).compareTo(this.gateTimeout) > 0) {
			// A gate that never answers must not keep the role from others for ever.
			logger.warn("The term %s did not begin in %d s, so the role is given up".formatted(holder.leadership(),
					this.gateTimeout.toSeconds()));
			election
				.apply(new RoleInput.GateFailed(holder.leadership().termId(), "its fences were not raised in time"));
		}
		return left;
	}

}
