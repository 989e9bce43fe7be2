package io.leaderstarter.election;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;

import io.leaderstarter.election.spi.Documentation;
import io.leaderstarter.election.spi.LeaseView;
import io.leaderstarter.election.spi.Moment;
import io.leaderstarter.election.spi.TermGate;
import io.leaderstarter.election.spi.TimeSource;
import io.leaderstarter.election.state.Backoff;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Asks the gate how far it let epochs through, before this member competes for a role.
 * The gate may block, so it is asked on another thread and the answer is used at the next
 * poll.
 * <p>
 * The order matters: first the gate, then the lease. A lease that was seen after the gate
 * was asked and still has the lower epoch belongs to a store that lost data.
 * <p>
 * Each answer clears one try. The next term of this member may begin with that, and what
 * the gate answered before would hide that the store has lost data since.
 */
final class Clearance {

	private static final Log logger = LogFactory.getLog(Clearance.class);

	private static final Duration LASTS = Duration.ofSeconds(5);

	private static final TermGate.Passed NOTHING = new TermGate.Passed(0, null);

	private final TermGate gate;

	private final Executor executor;

	private final TimeSource time;

	private final BiConsumer<String, String> onFailure;

	private final Runnable onAnswer;

	private final Backoff backoff;

	private final AtomicBoolean asking = new AtomicBoolean();

	private final Map<String, Answer> answers = new ConcurrentHashMap<>();

	private final Map<String, Moment> cleared = new ConcurrentHashMap<>();

	private volatile @Nullable Moment askAfter;

	/**
	 * When a question that failed is to be asked again, as no poll may be due by then.
	 */
	private volatile @Nullable Moment retryAt;

	/**
	 * Create a clearance.
	 * @param gate what is asked
	 * @param executor where it is asked
	 * @param time the clocks
	 * @param longestPause longest time between two tries while the gate fails
	 * @param onFailure notified of each role that the gate failed for, and why; from then
	 * on {@link #untilRetry} returns when to ask again
	 * @param onAnswer called when it answered
	 */
	Clearance(TermGate gate, Executor executor, TimeSource time, Duration longestPause,
			BiConsumer<String, String> onFailure, Runnable onAnswer) {
		this.onFailure = onFailure;
		this.gate = gate;
		this.executor = executor;
		this.time = time;
		this.onAnswer = onAnswer;
		this.backoff = new Backoff(longestPause);
	}

	/**
	 * Judge a lease that could be taken.
	 * @param view the lease
	 * @param sent when the poll of it was sent
	 */
	Verdict judge(LeaseView view, Moment sent) {
		if (!this.gate.isAsked()) {
			return Verdict.CLEAR;
		}
		Answer answer = this.answers.get(view.role());
		if (answer == null || !isInTime(answer, view.role(), sent)) {
			return Verdict.UNKNOWN;
		}
		TermGate.Passed passed = answer.passed();
		if (passed.objection() != null) {
			return new Verdict(true, passed.objection());
		}
		if (view.epoch() < passed.epoch()) {
			return new Verdict(true,
					("The store of the leases has lost data: it knows epoch %d of '%s', but a fence has "
							+ "seen %d. See " + Documentation.EPOCHS_THAT_GO_BACK)
						.formatted(view.epoch(), view.role(), passed.epoch()));
		}
		this.answers.remove(view.role());
		this.cleared.put(view.role(), this.time.now());
		return Verdict.CLEAR;
	}

	/** Another question may have been under way when the role was cleared. */
	private boolean isInTime(Answer answer, String role, Moment sent) {
		Moment last = this.cleared.get(role);
		return (last == null || answer.asked().nanos() - last.nanos() >= 0) && sent.nanos() - answer.at().nanos() >= 0
				&& sent.since(answer.at()).compareTo(LASTS) <= 0;
	}

	/**
	 * Ask about roles, unless the gate is being asked or failed just now.
	 */
	void ask(Collection<String> roles) {
		Moment after = this.askAfter;
		if ((after != null && this.time.nanoTime() - after.nanos() < 0) || !this.asking.compareAndSet(false, true)) {
			return;
		}
		List<String> asked = List.copyOf(roles);
		// Not when the executor comes to it, which may be after a role was cleared.
		Moment begun = this.time.now();
		try {
			this.executor.execute(() -> answer(asked, begun));
		}
		catch (Throwable ex) {
			// No thread could be created to ask.
			failed(asked, ex);
		}
	}

	private void answer(List<String> asked, Moment begun) {
		try {
			Map<String, TermGate.Passed> passed = this.gate.passed(asked);
			Moment now = this.time.now();
			asked.forEach((role) -> this.answers.put(role, new Answer(passed.getOrDefault(role, NOTHING), begun, now)));
		}
		catch (Throwable ex) {
			failed(asked, ex);
			return;
		}
		this.backoff.succeeded();
		this.askAfter = null;
		this.retryAt = null;
		this.asking.set(false);
		this.onAnswer.run();
	}

	private void failed(List<String> asked, Throwable failure) {
		if (!this.backoff.isFailing()) {
			logger.warn("This member does not compete, as no term could begin: " + failure.getMessage());
		}
		Moment retry = this.time.now().plus(this.backoff.failed());
		this.askAfter = retry;
		this.retryAt = retry;
		this.asking.set(false);
		asked.forEach((role) -> this.onFailure.accept(role, String.valueOf(failure.getMessage())));
	}

	/**
	 * Return whether it is time to ask again after a question that failed. True once: the
	 * next poll then asks again, if a role is still free.
	 */
	boolean retries(Moment now) {
		Moment at = this.retryAt;
		if (at == null || now.nanos() - at.nanos() < 0) {
			return false;
		}
		this.retryAt = null;
		return true;
	}

	/**
	 * Return how long it is until {@link #retries}, {@code null} if no question failed.
	 */
	@Nullable Duration untilRetry(Moment now) {
		Moment at = this.retryAt;
		return (at != null) ? at.since(now) : null;
	}

	/** Forget a role that this member no longer competes for. */
	void forget(String role) {
		this.answers.remove(role);
		this.cleared.remove(role);
	}

	private record Answer(TermGate.Passed passed, Moment asked, Moment at) {
	}

	/**
	 * Whether a role may be taken.
	 *
	 * @param isKnown whether the gate was asked early enough
	 * @param objection why it must not be taken, {@code null} if nothing is known
	 */
	record Verdict(boolean isKnown, @Nullable String objection) {

		static final Verdict CLEAR = new Verdict(true, null);

		static final Verdict UNKNOWN = new Verdict(false, null);

	}

}
