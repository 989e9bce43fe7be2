package io.leaderstarter.election;

import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;

import io.leaderstarter.RevocationReason;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.TermGate;
import io.leaderstarter.election.state.RoleInput;
import io.leaderstarter.election.state.RoleState.Holder;
import io.leaderstarter.election.state.RoleState;

/**
 * Starts and stops all that works for the elections of a member, as often as somebody
 * wants that.
 */
final class Lifecycle {

	private static final Duration LISTENER_PATIENCE = Duration.ofSeconds(2);

	private final LeaseStore store;

	private final TermGate gate;

	private final ElectionSettings settings;

	private final Roles roles;

	private final Candidature candidature;

	private final MemberWork work;

	private final Worker deadlines;

	private final PauseDetector pauses;

	private final Dispatcher dispatcher;

	private final ReentrantLock startStop = new ReentrantLock();

	private volatile boolean started;

	/**
	 * Whether {@link #stop()} came last, so that nobody who waits starts it all again.
	 */
	private volatile boolean stopped;

	Lifecycle(LeaseStore store, TermGate gate, ElectionSettings settings, Roles roles, Candidature candidature,
			MemberWork work, Worker deadlines, PauseDetector pauses, Dispatcher dispatcher) {
		this.store = store;
		this.gate = gate;
		this.settings = settings;
		this.roles = roles;
		this.candidature = candidature;
		this.work = work;
		this.deadlines = deadlines;
		this.pauses = pauses;
		this.dispatcher = dispatcher;
	}

	boolean isStarted() {
		return this.started;
	}

	boolean isStopped() {
		return this.stopped;
	}

	/**
	 * Starts if that was not done yet.
	 * @param again whether to start also if it all was stopped
	 * @return whether it is started
	 */
	boolean start(boolean again) {
		this.startStop.lock();
		try {
			if (!this.started && (again || !this.stopped)) {
				this.store.prepare();
				this.gate.prepare();
				this.candidature.reset();
				this.stopped = false;
				this.pauses.rests();
				this.deadlines.start();
				this.work.start();
				this.started = true;
			}
			return this.started;
		}
		finally {
			this.startStop.unlock();
		}
	}

	/**
	 * Leaves all roles and ends. Calls that run have the drain time-out to end.
	 */
	void stop() {
		this.startStop.lock();
		try {
			this.stopped = true;
			this.roles.all().forEach(RoleElection::wakeWaiting);
			if (this.started) {
				end();
				this.started = false;
			}
		}
		finally {
			this.startStop.unlock();
		}
	}

	private void end() {
		this.candidature.end();
		this.roles.all().forEach((election) -> election.apply(new RoleInput.Leave(RevocationReason.SHUTDOWN)));
		this.work.wake();
		this.deadlines.wake();
		awaitQuiet(this.settings.drainTimeout().plus(this.settings.timing().requestTimeout().multipliedBy(2)));
		this.work.stop();
		this.deadlines.stop(LISTENER_PATIENCE);
		this.dispatcher.awaitIdle(LISTENER_PATIENCE);
		this.store.rest();
		this.gate.rest();
	}

	private void awaitQuiet(Duration patience) {
		long end = System.nanoTime() + patience.toNanos();
		while (System.nanoTime() - end < 0 && this.roles.all().stream().anyMatch(Lifecycle::isEnding)) {
			try {
				Thread.sleep(5);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				return;
			}
		}
	}

	/**
	 * Whether there is still something to wait for: a call that may end, or a release.
	 */
	private static boolean isEnding(RoleElection election) {
		return election.state() instanceof Holder holder
				&& (holder.phase().isRenewed() || holder.phase() == RoleState.Phase.RELEASING);
	}

}
