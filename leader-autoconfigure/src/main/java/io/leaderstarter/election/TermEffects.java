package io.leaderstarter.election;

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
import io.leaderstarter.election.spi.TermGate;
import io.leaderstarter.election.state.Backoff;
import io.leaderstarter.election.state.RoleEffect;
import io.leaderstarter.election.state.RoleInput;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Performs the effects of a change: opens the gate, releases, notifies. All of it is
 * handed on to other threads, as it is asked for under the lock of the role.
 */
final class TermEffects implements RoleEffects {

	private static final Log logger = LogFactory.getLog(TermEffects.class);

	private final ElectionContext context;

	private final Calls calls;

	private final Lifecycle lifecycle;

	/** Of gates that failed since they last opened. */
	private final Map<RoleElection, Backoff> failing = Collections.synchronizedMap(new WeakHashMap<>());

	private final List<LeadershipListener> listeners = new CopyOnWriteArrayList<>();

	TermEffects(ElectionContext context, Calls calls, Lifecycle lifecycle) {
		this.context = context;
		this.calls = calls;
		this.lifecycle = lifecycle;
	}

	void addListener(LeadershipListener listener) {
		this.listeners.add(queued(listener));
	}

	@Override
	public LeadershipListener queued(LeadershipListener listener) {
		return this.context.dispatcher().queued(listener);
	}

	@Override
	public void roleLeft(RoleElection election) {
		if (election.isGone()) {
			this.lifecycle.pollNow();
		}
		else {
			this.lifecycle.wake();
		}
	}

	@Override
	public void resumed() {
		this.lifecycle.pollNow();
	}

	/**
	 * A thread may wait for a role before the application has started, to migrate a
	 * database that its beans need.
	 */
	@Override
	public boolean wanted(RoleElection election) {
		if (this.lifecycle.start(false)) {
			this.lifecycle.pollNow();
			return true;
		}
		return false;
	}

	@Override
	public boolean competes(RoleElection election) {
		return this.lifecycle.competes(election);
	}

	@Override
	public boolean isOver() {
		return this.lifecycle.isStopped();
	}

	@Override
	public Calls calls() {
		return this.calls;
	}

	@Override
	public Executor executor() {
		return this.context.dispatcher()::execute;
	}

	@Override
	public void perform(RoleElection election, RoleEffect effect) {
		if (effect instanceof RoleEffect.OpenGate open) {
			if (this.context.gate() == TermGate.OPEN) {
				// Nothing to wait for.
				openGate(election, open.leadership());
			}
			else {
				runGate(election, open.leadership());
			}
		}
		else if (effect instanceof RoleEffect.Release released) {
			MemberWork work = this.lifecycle.work().orElse(null);
			if (work == null || !work.release(released.lease())) {
				election.apply(new RoleInput.Released(released.lease().termId()));
			}
		}
		else if (effect instanceof RoleEffect.AnnounceGranted granted) {
			notifyListeners(election, (listener) -> listener.onGranted(granted.leadership()));
		}
		else if (effect instanceof RoleEffect.AnnounceRevoked revoked) {
			notifyListeners(election, (listener) -> listener.onRevoked(revoked.leadership(), revoked.reason()));
		}
	}

	private void notifyListeners(RoleElection election, Consumer<LeadershipListener> call) {
		this.listeners.forEach(call);
		election.listeners().forEach(call);
	}

	private void runGate(RoleElection election, Leadership leadership) {
		try {
			this.context.dispatcher().runGate(() -> openGate(election, leadership));
		}
		catch (Throwable ex) {
			// No thread could be created to open the gate.
			logger.error("The gate cannot be opened for " + leadership, ex);
			failed(election, leadership, ex);
		}
	}

	private void failed(RoleElection election, Leadership leadership, Throwable failure) {
		String reason = String.valueOf(failure.getMessage());
		this.context.monitor().blocked(leadership.role(), reason);
		election.backOff(
				this.failing.computeIfAbsent(election, (key) -> new Backoff(this.context.timing().ttl())).failed());
		election.apply(new RoleInput.GateFailed(leadership.termId(), reason));
	}

	private void openGate(RoleElection election, Leadership leadership) {
		try {
			this.context.gate().open(leadership);
		}
		catch (Throwable ex) {
			logger.warn("The term %s cannot begin, so the role is given up: %s".formatted(leadership, ex.getMessage()));
			logger.debug("Why the term cannot begin", ex);
			failed(election, leadership, ex);
			return;
		}
		this.failing.remove(election);
		this.context.monitor().led(leadership.role());
		election.apply(new RoleInput.GateOpened(leadership.termId()));
		if (this.lifecycle.isEnding()) {
			// The member began to stop while the term was being granted.
			election.apply(new RoleInput.Leave(RevocationReason.SHUTDOWN));
		}
	}

}
