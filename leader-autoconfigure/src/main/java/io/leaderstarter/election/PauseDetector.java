package io.leaderstarter.election;

import java.time.Duration;

import io.leaderstarter.election.spi.Moment;
import io.leaderstarter.election.spi.TimeSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Notices that this process stood still: a thread that wanted to wait for a while came
 * back much later. The collector, a limit of the container, a machine that was moved or
 * has too much to do: whatever it was, it takes from the time that a lease is renewed in.
 */
final class PauseDetector {

	private static final Log logger = LogFactory.getLog(PauseDetector.class);

	/** From this share of the ttl on a pause is worth a word. */
	private static final int LONG_PAUSE = 3;

	private final TimeSource time;

	private final Duration ttl;

	private volatile Duration longest = Duration.ZERO;

	private @Nullable Moment expected;

	PauseDetector(TimeSource time, Duration ttl) {
		this.time = time;
		this.ttl = ttl;
	}

	/** The thread is there. */
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
			logger
				.warn(("This process stood still for %d ms, while leader.lease.ttl is %d ms. If that happens more often, look for long "
						+ "collections of garbage, for limits of the container's processor time and for a machine that has too much to do, "
						+ "or set leader.lease.ttl to more than three times of that")
					.formatted(pause.toMillis(), this.ttl.toMillis()));
		}
	}

	/** The thread goes to wait. */
	void waits(Duration wait) {
		this.expected = this.time.now().plus(wait);
	}

	/** The thread ends, or has not begun. */
	void rests() {
		this.expected = null;
	}

	/** The longest pause since the process started. */
	Duration longest() {
		return this.longest;
	}

}
