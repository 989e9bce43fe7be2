package io.leaderstarter.metrics;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;

import io.leaderstarter.LeaderElection;
import io.leaderstarter.Leadership;
import io.leaderstarter.LeadershipListener;
import io.leaderstarter.RevocationReason;
import io.leaderstarter.election.DefaultLeaderElections;
import io.leaderstarter.election.RoleCounts;
import io.leaderstarter.election.RoleElection;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.jspecify.annotations.Nullable;

/**
 * Binds the meters of leader election.
 *
 * @since 0.1.0
 */
public class LeaderMetrics implements MeterBinder {

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
		Map<String, List<Meter>> meters = new ConcurrentHashMap<>();
		this.elections.addJoinListener((election) -> meters.put(election.role(), bindRole(registry, election.role())));
		this.elections.addLeaveListener((role) -> {
			List<Meter> left = meters.remove(role);
			if (left != null) {
				left.forEach(registry::remove);
			}
		});
		this.elections.addListener(new TermMeters(registry));
		this.elections.addRequestListener((request, took, answered) -> Timer.builder("leader.requests")
			.description("Requests of this member to the store, each for all roles that it concerns")
			.tag("request", request)
			.tag("outcome", answered ? "answered" : "failed")
			.register(registry)
			.record(took));
		TimeGauge
			.builder("leader.time.left.min", this.elections, TimeUnit.NANOSECONDS,
					(all) -> nanos(all.storeStatus().leastLeft()))
			.description("The least time that was left of a term when its renewal came")
			.register(registry);
		TimeGauge.builder("leader.pause.max", this.elections, TimeUnit.NANOSECONDS, (all) -> nanos(all.longestPause()))
			.description("The longest time that this process stood still")
			.register(registry);
		FunctionCounter.builder("leader.clock.steps", this.elections, (all) -> all.storeStatus().clockSteps())
			.description("How often the clock of the store was seen to be set")
			.register(registry);
	}

	private List<Meter> bindRole(MeterRegistry registry, String role) {
		return List.of(
				Gauge.builder("leader.leading", this.elections, (all) -> all.election(role).isLeader() ? 1 : 0)
					.description("Whether this member leads the role")
					.tag("role", role)
					.register(registry),
				Gauge.builder("leader.epoch", this.elections, (all) -> all.status(role).epoch())
					.description("The last known epoch of the role")
					.tag("role", role)
					.register(registry),
				Gauge.builder("leader.candidates", this.elections, (all) -> all.candidates(role).size())
					.description("Members that stand for the role, as far as this member knows")
					.tag("role", role)
					.register(registry),
				TimeGauge
					.builder("leader.time.left", this.elections, TimeUnit.NANOSECONDS,
							(all) -> zeroIfNone(all.status(role).timeLeft()))
					.description("How long this member's term lasts without a renewal; 0 if it has none")
					.tag("role", role)
					.register(registry),
				bindCalls(registry, role, "executed", RoleCounts::executed),
				bindCalls(registry, role, "skipped", RoleCounts::skipped));
	}

	private Meter bindCalls(MeterRegistry registry, String role, String outcome, ToLongFunction<RoleCounts> count) {
		return FunctionCounter
			.builder("leader.calls", this.elections, (all) -> count.applyAsLong(all.status(role).counts()))
			.description("Calls of methods that run on the leader only")
			.tag("role", role)
			.tag("outcome", outcome)
			.register(registry);
	}

	/** There is none before the first renewal, which is not the same as zero. */
	private static double nanos(@Nullable Duration duration) {
		return (duration != null) ? duration.toNanos() : Double.NaN;
	}

	private static double zeroIfNone(@Nullable Duration duration) {
		return (duration != null) ? duration.toNanos() : 0;
	}

	/** What is measured at the beginning and the end of terms. */
	private final class TermMeters implements LeadershipListener {

		private final MeterRegistry registry;

		/** By tenure, when it was announced. */
		private final Map<String, Long> begun = new ConcurrentHashMap<>();

		private TermMeters(MeterRegistry registry) {
			this.registry = registry;
		}

		@Override
		public void onGranted(Leadership leadership) {
			this.begun.put(leadership.tenure(), System.nanoTime());
			count(leadership, "granted", "none");
			// The role may be left by now.
			Duration vacancy = LeaderMetrics.this.elections.find(leadership.role())
				.map(RoleElection::vacancy)
				.orElse(null);
			if (vacancy != null) {
				Timer.builder("leader.vacancies")
					.description(
							"The time without a leader that a term of this member ended, from when this member saw it")
					.tag("role", leadership.role())
					.register(this.registry)
					.record(vacancy);
			}
		}

		@Override
		public void onRevoked(Leadership leadership, RevocationReason reason) {
			count(leadership, "revoked", reason.name().toLowerCase(Locale.ROOT));
			Long since = this.begun.remove(leadership.tenure());
			if (since != null) {
				Timer.builder("leader.terms")
					.description("How long the terms of this member lasted that are over")
					.tag("role", leadership.role())
					.register(this.registry)
					.record(System.nanoTime() - since, TimeUnit.NANOSECONDS);
			}
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
