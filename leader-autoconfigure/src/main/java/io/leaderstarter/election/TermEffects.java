package io.leaderstarter.election;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

import io.leaderstarter.Leadership;
import io.leaderstarter.LeadershipListener;
import io.leaderstarter.RevocationReason;
import io.leaderstarter.election.spi.LeaseKey;
import io.leaderstarter.election.spi.TermGate;
import io.leaderstarter.election.state.Backoff;
import io.leaderstarter.election.state.RoleEffect;
import io.leaderstarter.election.state.RoleInput;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Does what the changes of a role ask for: opens the gate, releases, tells. All of it is
 * handed on to other threads, as it is asked for under the lock of the role.
 */
final class TermEffects implements RoleEffects {

	private static final Log logger = LogFactory.getLog(TermEffects.class);

	private final TermGate gate;

	private final Dispatcher dispatcher;

	private final Calls calls;

	private final Host host;

	private final Duration longestPause;

	/** Of gates that failed since they last opened. */
	private final Map<RoleElection, Backoff> failing = Collections.synchronizedMap(new WeakHashMap<>());

	private final StoreMonitor monitor;

	private final List<LeadershipListener> listeners = new CopyOnWriteArrayList<>();

	/**
	 * Makes the effects.
	 * @param gate what comes before a term begins
	 * @param dispatcher runs what takes time
	 * @param calls how work is run under a term
	 * @param host the member
	 * @param longestPause how long a member does not compete for a role whose gate fails
	 * again and again; less at first, as a transaction that holds it up may soon end
	 * @param monitor told of gates that fail
	 */
	TermEffects(TermGate gate, Dispatcher dispatcher, Calls calls, Host host, Duration longestPause,
			StoreMonitor monitor) {
		this.monitor = monitor;
		this.gate = gate;
		this.dispatcher = dispatcher;
		this.calls = calls;
		this.host = host;
		this.longestPause = longestPause;
	}

	void addListener(LeadershipListener listener) {
		this.listeners.add(queued(listener));
	}

	@Override
	public LeadershipListener queued(LeadershipListener listener) {
		return this.dispatcher.queued(listener);
	}

	@Override
	public void roleLeft(RoleElection election) {
		this.host.left(election);
	}

	@Override
	public void standsAgain() {
		this.host.standsAgain();
	}

	@Override
	public boolean isCandidate(RoleElection election) {
		return this.host.isCandidate(election);
	}

	@Override
	public boolean wanted(RoleElection election) {
		return this.host.wanted();
	}

	@Override
	public boolean stands(RoleElection election) {
		return this.host.stands(election);
	}

	@Override
	public boolean isOver() {
		return this.host.isStopped();
	}

	@Override
	public Calls calls() {
		return this.calls;
	}

	@Override
	public Executor executor() {
		return this.dispatcher::execute;
	}

	@Override
	public void perform(RoleElection election, RoleEffect effect) {
		if (effect instanceof RoleEffect.OpenGate open) {
			if (this.gate == TermGate.OPEN) {
				// Nothing to wait for.
				openGate(election, open.leadership());
			}
			else {
				runGate(election, open.leadership());
			}
		}
		else if (effect instanceof RoleEffect.Release released) {
			this.host.release(released.lease());
		}
		else if (effect instanceof RoleEffect.AnnounceGranted granted) {
			tell(election, (listener) -> listener.onGranted(granted.leadership()));
		}
		else if (effect instanceof RoleEffect.AnnounceRevoked revoked) {
			tell(election, (listener) -> listener.onRevoked(revoked.leadership(), revoked.reason()));
		}
	}

	private void tell(RoleElection election, Consumer<LeadershipListener> call) {
		this.listeners.forEach(call);
		election.listeners().forEach(call);
	}

	private void runGate(RoleElection election, Leadership leadership) {
		try {
			this.dispatcher.runGate(() -> openGate(election, leadership));
		}
		catch (Throwable ex) {
			// No thread could be had, so nobody will open the gate.
			logger.error("The gate cannot be opened for " + leadership, ex);
			failed(election, leadership, ex);
		}
	}

	private void failed(RoleElection election, Leadership leadership, Throwable failure) {
		String reason = String.valueOf(failure.getMessage());
		this.monitor.blocked(leadership.role(), reason);
		election.standAfter(this.failing.computeIfAbsent(election, (key) -> new Backoff(this.longestPause)).failed());
		election.apply(new RoleInput.GateFailed(leadership.tenure(), reason));
	}

	private void openGate(RoleElection election, Leadership leadership) {
		try {
			this.gate.open(leadership);
		}
		catch (Throwable ex) {
			logger.warn("The term %s cannot begin, so the role is given up: %s".formatted(leadership, ex.getMessage()));
			logger.debug("Why the term cannot begin", ex);
			failed(election, leadership, ex);
			return;
		}
		this.failing.remove(election);
		this.monitor.led(leadership.role());
		election.apply(new RoleInput.GateOpened(leadership.tenure()));
		if (this.host.isStopping()) {
			// The member began to stop while the term was being granted.
			election.apply(new RoleInput.Leave(RevocationReason.SHUTDOWN));
		}
	}

	/**
	 * The member, as its terms need it.
	 */
	interface Host {

		/** Whether it stands for a role whenever it may. */
		boolean stands(RoleElection election);

		/** Whether it may lead a role at all. */
		boolean isCandidate(RoleElection election);

		/** It stands for a role again. */
		void standsAgain();

		/** Whether no term may begin any more. */
		boolean isStopping();

		/**
		 * Somebody waits for a term.
		 * @return whether there can be one
		 */
		boolean wanted();

		/** Whether all was stopped, so that nobody need wait. */
		boolean isStopped();

		/** It has nothing of a role any more. Called under the lock of the role. */
		void left(RoleElection election);

		/** Releases a lease. Called under the lock of the role. */
		void release(LeaseKey lease);

	}

}
