package io.leaderstarter.metrics;

import java.util.Locale;

import io.leaderstarter.LeaderElection;
import io.leaderstarter.Leadership;
import io.leaderstarter.LeadershipListener;
import io.leaderstarter.RevocationReason;
import io.leaderstarter.election.DefaultLeaderElections;
import io.leaderstarter.election.RoleStatus;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;

/**
 * Binds the meters of leader election.
 *
 * @since 0.1.0
 */
public class LeaderMetrics implements MeterBinder {

	private static final double MILLIS_PER_SECOND = 1000;

	private final DefaultLeaderElections elections;

	/**
	 * Makes the binder.
	 * @param elections what is measured
	 */
	public LeaderMetrics(DefaultLeaderElections elections) {
		this.elections = elections;
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		this.elections.addJoinListener((election) -> bindRole(registry, election));
		this.elections.addListener(new TransitionCounter(registry));
		Timer answered = renewals(registry, "answered");
		Timer failed = renewals(registry, "failed");
		this.elections.addRenewalListener((took, ok) -> (ok ? answered : failed).record(took));
	}

	private void bindRole(MeterRegistry registry, LeaderElection election) {
		Gauge.builder("leader.leading", election, (leader) -> leader.isLeader() ? 1 : 0)
			.description("Whether this member leads the role")
			.tag("role", election.role())
			.register(registry);
		Gauge.builder("leader.epoch", this.elections, (all) -> all.status(election.role()).epoch())
			.description("The last known epoch of the role")
			.tag("role", election.role())
			.register(registry);
		Gauge.builder("leader.time.left", this.elections, (all) -> secondsLeft(all.status(election.role())))
			.description("How long this member's term lasts without a renewal; 0 if it has none")
			.baseUnit("seconds")
			.tag("role", election.role())
			.register(registry);
	}

	private static Timer renewals(MeterRegistry registry, String outcome) {
		return Timer.builder("leader.renewals")
			.description("Renewals of all leases of this member, one for each request")
			.tag("outcome", outcome)
			.register(registry);
	}

	private static double secondsLeft(RoleStatus status) {
		return (status.timeLeft() != null) ? status.timeLeft().toMillis() / MILLIS_PER_SECOND : 0;
	}

	private static final class TransitionCounter implements LeadershipListener {

		private final MeterRegistry registry;

		private TransitionCounter(MeterRegistry registry) {
			this.registry = registry;
		}

		@Override
		public void onGranted(Leadership leadership) {
			count(leadership, "granted", "none");
		}

		@Override
		public void onRevoked(Leadership leadership, RevocationReason reason) {
			count(leadership, "revoked", reason.name().toLowerCase(Locale.ROOT));
		}

		private void count(Leadership leadership, String transition, String reason) {
			Counter.builder("leader.transitions")
				.description("Terms of this member that began or ended")
				.tag("role", leadership.role())
				.tag("transition", transition)
				.tag("reason", reason)
				.register(this.registry)
				.increment();
		}

	}

}
