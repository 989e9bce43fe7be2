package io.leaderstarter.election.state;

import java.util.ArrayList;
import java.util.List;

import io.leaderstarter.Leadership;
import io.leaderstarter.RevocationReason;
import io.leaderstarter.election.spi.LeaseKey;
import io.leaderstarter.election.spi.Moment;
import io.leaderstarter.election.state.RoleState.Follower;
import io.leaderstarter.election.state.RoleState.Holder;
import io.leaderstarter.election.state.RoleState.Phase;

/**
 * The election of one role on one member, as a function: a state and an input give the
 * next state and what has to be done. There is no clock, thread or store in here.
 *
 * <pre>
 * FOLLOWER → ACQUIRED → LEADER → LEAVING → RELEASING → FOLLOWER
 *                          │        └→ DRAIN_TIMED_OUT ↗
 *                          └→ LOST → FOLLOWER
 * </pre>
 *
 * Whatever the input, a term whose deadline has passed is over first. So an answer that
 * comes too late cannot prolong it.
 * <p>
 * Internal: not for applications.
 *
 * @since 0.1.0
 */
public final class RoleStateMachine {

	private RoleStateMachine() {
	}

	public static Transition apply(RoleState state, RoleInput input, Moment now) {
		if (state instanceof Holder holder) {
			if (holder.phase() != Phase.LOST && holder.phase() != Phase.RELEASING && holder.deadline().hasPassed(now)) {
				Transition over = lose(holder, RevocationReason.LEASE_EXPIRED);
				return over.and(applyToHolder((Holder) over.state(), input));
			}
			return applyToHolder(holder, input);
		}
		if (input instanceof RoleInput.Granted granted) {
			return grant(granted, now);
		}
		return Transition.to(state);
	}

	private static Transition grant(RoleInput.Granted granted, Moment now) {
		Leadership leadership = granted.leadership();
		if (granted.deadline().hasPassed(now)) {
			// The answer took so long that the lease is worth nothing.
			return Transition.to(Follower.INSTANCE, release(leadership));
		}
		return Transition.to(new Holder(leadership, granted.deadline(), Phase.ACQUIRED, null),
				new RoleEffect.OpenGate(leadership));
	}

	private static Transition applyToHolder(Holder holder, RoleInput input) {
		if (input instanceof RoleInput.Granted granted) {
			// A second term of the same role cannot be wanted; free it rather than keep
			// it.
			return Transition.to(holder, release(granted.leadership()));
		}
		if (input instanceof RoleInput.GateOpened opened && holder.is(opened.termId())
				&& holder.phase() == Phase.ACQUIRED) {
			return Transition.to(holder.with(Phase.LEADER, null), new RoleEffect.AnnounceGranted(holder.leadership()));
		}
		if (input instanceof RoleInput.GateFailed failed && holder.is(failed.termId())
				&& holder.phase() == Phase.ACQUIRED) {
			return Transition.to(holder.with(Phase.RELEASING, null), release(holder.leadership()));
		}
		if (input instanceof RoleInput.Renewed renewed && holder.is(renewed.termId()) && holder.phase().isRenewed()) {
			return Transition.to(holder.with(holder.deadline().latest(renewed.deadline())));
		}
		if (input instanceof RoleInput.RenewalRefused refused && holder.is(refused.termId())
				&& holder.phase().isRenewed()) {
			return lose(holder, RevocationReason.SUPERSEDED);
		}
		if (input instanceof RoleInput.FenceRefused refused && holder.is(refused.termId()) && holder.isAnnounced()
				&& holder.phase() != Phase.RELEASING) {
			return lose(holder, RevocationReason.FENCE_REFUSED);
		}
		if (input instanceof RoleInput.Leave leave) {
			return leave(holder, leave.reason());
		}
		if (input instanceof RoleInput.Drained drained && holder.is(drained.termId())) {
			return drained(holder);
		}
		if (input instanceof RoleInput.DrainTimedOut timedOut && holder.is(timedOut.termId())
				&& holder.phase() == Phase.LEAVING) {
			return Transition.to(holder.with(Phase.DRAIN_TIMED_OUT, holder.reason()));
		}
		if (input instanceof RoleInput.Released released && holder.is(released.termId())
				&& holder.phase() == Phase.RELEASING) {
			return Transition.to(Follower.INSTANCE, revoked(holder));
		}
		return Transition.to(holder);
	}

	private static Transition leave(Holder holder, RevocationReason reason) {
		return switch (holder.phase()) {
			// Listeners were not notified that the term began, so nothing can run under
			// it.
			case ACQUIRED -> Transition.to(holder.with(Phase.RELEASING, null), release(holder.leadership()));
			case LEADER -> Transition.to(holder.with(Phase.LEAVING, reason));
			default -> Transition.to(holder);
		};
	}

	private static Transition drained(Holder holder) {
		return switch (holder.phase()) {
			case LEAVING, DRAIN_TIMED_OUT ->
				Transition.to(holder.with(Phase.RELEASING, holder.reason()), release(holder.leadership()));
			case LOST -> Transition.to(Follower.INSTANCE);
			default -> Transition.to(holder);
		};
	}

	/**
	 * The term was lost, or the deadline was quicker than the release. A term that never
	 * was announced ends in silence.
	 */
	private static Transition lose(Holder holder, RevocationReason reason) {
		Holder lost = holder.with(Phase.LOST, (holder.reason() != null) ? holder.reason() : reason);
		return (holder.phase() != Phase.ACQUIRED) ? Transition.to(lost, revoked(lost)) : Transition.to(lost);
	}

	private static RoleEffect[] revoked(Holder holder) {
		RevocationReason reason = holder.reason();
		return (reason != null) ? new RoleEffect[] { new RoleEffect.AnnounceRevoked(holder.leadership(), reason) }
				: new RoleEffect[0];
	}

	private static RoleEffect release(Leadership leadership) {
		return new RoleEffect.Release(new LeaseKey(leadership.role(), leadership.epoch(), leadership.termId()));
	}

	/**
	 * The outcome of an input.
	 *
	 * @param state the next state
	 * @param effects what has to be done, in order
	 */
	public record Transition(RoleState state, List<RoleEffect> effects) {

		private static Transition to(RoleState state, RoleEffect... effects) {
			return new Transition(state, List.of(effects));
		}

		/** Return this outcome together with the next one. */
		private Transition and(Transition next) {
			if (next.effects.isEmpty() || this.effects.isEmpty()) {
				return new Transition(next.state, this.effects.isEmpty() ? next.effects : this.effects);
			}
			List<RoleEffect> both = new ArrayList<>(this.effects);
			both.addAll(next.effects);
			return new Transition(next.state, List.copyOf(both));
		}

	}

}
