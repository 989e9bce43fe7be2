package io.leaderstarter.election;

import java.time.Duration;

import io.leaderstarter.election.spi.Moment;
import io.leaderstarter.election.spi.TimeSource;
import io.leaderstarter.election.state.RoleInput;
import io.leaderstarter.election.state.RoleState;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Ends terms whose deadline has passed, and lets go of roles whose calls do not end. It
 * has a thread of its own that makes no request, so that it is on time even while one to
 * the store hangs.
 */
final class DeadlineWatchdog {

	private static final Log logger = LogFactory.getLog(DeadlineWatchdog.class);

	/** Thousands of roles may wait for one gate, each for its turn. */
	private static final int TTLS_FOR_THE_GATE = 10;

	private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

	private final ElectionContext context;

	private final Duration longestWait;

	private final Duration gateTimeout;

	private final PauseDetector pauses;

	DeadlineWatchdog(ElectionContext context) {
		this.context = context;
		Duration ttl = context.timing().ttl();
		this.gateTimeout = ttl.multipliedBy(TTLS_FOR_THE_GATE);
		// No term can begin and end within a tenth of the ttl, so none is overlooked.
		Duration tenth = ttl.dividedBy(10);
		this.longestWait = (tenth.compareTo(LONGEST_WAIT) < 0) ? tenth : LONGEST_WAIT;
		this.pauses = new PauseDetector(context.platform().processTime(), ttl);
	}

	PauseDetector pauses() {
		return this.pauses;
	}

	/**
	 * Check every term once.
	 * @return how long to wait before the next check
	 */
	Duration check() {
		this.pauses.awake();
		this.context.dispatcher().retry();
		Moment now = this.context.time().now();
		long wait = this.longestWait.toNanos();
		for (RoleElection election : this.context.roles().all()) {
			if (election.state() instanceof RoleState.Holder holder) {
				wait = Math.min(wait, check(election, holder, now));
			}
		}
		this.pauses.waits(Duration.ofNanos(wait));
		return Duration.ofNanos(wait);
	}

	private long check(RoleElection election, RoleState.Holder holder, Moment now) {
		if (holder.phase() == RoleState.Phase.LOST || holder.phase() == RoleState.Phase.RELEASING) {
			return Long.MAX_VALUE;
		}
		long left = holder.deadline().nanosLeft(now);
		if (left <= 0) {
			election.apply(RoleInput.TimePassed.INSTANCE);
			return Long.MAX_VALUE;
		}
		Moment since = election.terms().phaseSince();
		if (since != null && holder.phase() == RoleState.Phase.LEAVING) {
			long drainLeft = this.context.settings().drainTimeout().minus(now.since(since)).toNanos();
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

	/**
	 * Detects pauses of this process: a thread that waited for a while was woken much
	 * later. Garbage collection, a CPU limit of the container, a virtual machine that was
	 * moved or an overloaded host: a pause takes from the time in which a lease can be
	 * renewed.
	 */
	static final class PauseDetector {

		/** From this share of the ttl on a pause is logged. */
		private static final int LONG_PAUSE = 3;

		private final TimeSource time;

		private final Duration ttl;

		private volatile Duration longest = Duration.ZERO;

		private @Nullable Moment expected;

		PauseDetector(TimeSource time, Duration ttl) {
			this.time = time;
			this.ttl = ttl;
		}

		/** The thread was woken. */
		void awake() {
			Moment planned = this.expected;
			if (planned == null) {
				return;
			}
			Duration pause = this.time.now().since(planned);
			if (pause.compareTo(this.longest) > 0) {
				this.longest = pause;
			}
			if (pause.multipliedBy(LONG_PAUSE).compareTo(this.ttl) > 0) {
				logger.warn(
						("This process was paused for %d ms, while leader.lease.ttl is %d ms. If that happens more often, check for long "
								+ "garbage collections, CPU limits of the container and an overloaded host, "
								+ "or set leader.lease.ttl to more than three times of that")
							.formatted(pause.toMillis(), this.ttl.toMillis()));
			}
		}

		/** The thread begins to wait. */
		void waits(Duration wait) {
			this.expected = this.time.now().plus(wait);
		}

		/** The thread ends, or has not begun. */
		void reset() {
			this.expected = null;
		}

		/** The longest pause since the process started. */
		Duration longest() {
			return this.longest;
		}

	}

}
