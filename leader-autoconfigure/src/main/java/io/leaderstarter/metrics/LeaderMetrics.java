package io.leaderstarter.metrics;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;

import io.leaderstarter.Leadership;
import io.leaderstarter.LeadershipListener;
import io.leaderstarter.RevocationReason;
import io.leaderstarter.election.DefaultLeaderElections;
import io.leaderstarter.election.RoleElection;
import io.leaderstarter.election.RoleStatus;
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
 * {@link MeterBinder} for leader election.
 *
 * @since 0.1.0
 */
public class LeaderMetrics implements MeterBinder {

	/** Meters of a role that other classes register. */
	private static final Set<String> OF_CALLS = Set.of("leader.execution", "leader.execution.active",
			"leader.fence.refusals");

	private final DefaultLeaderElections elections;

	/**
	 * Create a new binder.
	 * @param elections the elections
	 */
	public LeaderMetrics(DefaultLeaderElections elections) {
		this.elections = elections;
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		RoleMeters roles = new RoleMeters(registry);
		this.elections.addJoinListener((election) -> roles.join(election.role()));
		this.elections.addLeaveListener(roles::leave);
		this.elections.addListener(roles);
		this.elections.addRequestListener((request, took, answered) -> Timer.builder("leader.requests")
			.description("Requests of this member to the store, each for all its roles")
			.tag("request", request)
			.tag("outcome", answered ? "answered" : "failed")
			.register(registry)
			.record(took));
		// No value before the first renewal, which is not the same as zero.
		TimeGauge
			.builder("leader.time.left.min", this.elections, TimeUnit.NANOSECONDS,
					(all) -> nanos(all.storeStatus().leastLeft(), Double.NaN))
			.description("The least time that was left of a term at its renewal")
			.register(registry);
		TimeGauge
			.builder("leader.pause.max", this.elections, TimeUnit.NANOSECONDS,
					(all) -> nanos(all.longestPause(), Double.NaN))
			.description("The longest pause of this process")
			.register(registry);
		FunctionCounter.builder("leader.clock.steps", this.elections, (all) -> all.storeStatus().clockSteps())
			.description("Observed steps of the clock of the store")
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
					.description("Candidates for the role, as far as this member knows")
					.tag("role", role)
					.register(registry),
				TimeGauge
					.builder("leader.time.left", this.elections, TimeUnit.NANOSECONDS,
							(all) -> nanos(all.status(role).timeLeft(), 0))
					.description("Time left of this member's term without a renewal; 0 if it has none")
					.tag("role", role)
					.register(registry),
				bindCalls(registry, role, "executed", RoleStatus.Counts::executed),
				bindCalls(registry, role, "skipped", RoleStatus.Counts::skipped));
	}

	private Meter bindCalls(MeterRegistry registry, String role, String outcome,
			ToLongFunction<RoleStatus.Counts> count) {
		return FunctionCounter
			.builder("leader.calls", this.elections, (all) -> count.applyAsLong(all.status(role).counts()))
			.description("Calls of methods that run only on the leader")
			.tag("role", role)
			.tag("outcome", outcome)
			.register(registry);
	}

	private static double nanos(@Nullable Duration duration, double none) {
		return (duration != null) ? duration.toNanos() : none;
	}

	/**
	 * The meters of single roles: those that exist while this member has joined a role,
	 * and those of its terms. They are removed when the role is left, or an application
	 * that joins and leaves many roles would accumulate them.
	 */
	private final class RoleMeters implements LeadershipListener {

		private final MeterRegistry registry;

		/** Meters by role, for roles that are joined. */
		private final Map<String, Set<Meter>> meters = new HashMap<>();

		/** By term id, when the term began. */
		private final Map<String, Long> begun = new ConcurrentHashMap<>();

		private RoleMeters(MeterRegistry registry) {
			this.registry = registry;
		}

		synchronized void join(String role) {
			this.meters.put(role, new HashSet<>(bindRole(this.registry, role)));
		}

		synchronized void leave(String role) {
			Set<Meter> left = this.meters.remove(role);
			if (left != null) {
				left.forEach(this.registry::remove);
			}
			this.registry.getMeters()
				.stream()
				.filter((meter) -> OF_CALLS.contains(meter.getId().getName())
						&& role.equals(meter.getId().getTag("role")))
				.forEach(this.registry::remove);
		}

		@Override
		public void onGranted(Leadership leadership) {
			this.begun.put(leadership.termId(), System.nanoTime());
			Duration vacancy = LeaderMetrics.this.elections.find(leadership.role())
				.map(RoleElection::vacancy)
				.orElse(null);
			record(leadership, "granted", "none", Timer.builder("leader.vacancies")
				.description("Time without a leader before a term of this member, as far as this member observed it"),
					vacancy);
		}

		@Override
		public void onRevoked(Leadership leadership, RevocationReason reason) {
			Long since = this.begun.remove(leadership.termId());
			record(leadership, "revoked", reason.name().toLowerCase(Locale.ROOT),
					Timer.builder("leader.terms").description("Duration of terms of this member that are over"),
					(since != null) ? Duration.ofNanos(System.nanoTime() - since) : null);
		}

		/** An event of a term may arrive after its role was left. It is ignored then. */
		private synchronized void record(Leadership leadership, String transition, String reason, Timer.Builder timer,
				@Nullable Duration duration) {
			Set<Meter> known = this.meters.get(leadership.role());
			if (known == null) {
				return;
			}
			Counter counter = Counter.builder("leader.transitions")
				.description("Terms of this member that began or ended")
				.tag("role", leadership.role())
				.tag("transition", transition)
				.tag("reason", reason)
				.register(this.registry);
			counter.increment();
			known.add(counter);
			if (duration != null) {
				Timer registered = timer.tag("role", leadership.role()).register(this.registry);
				registered.record(duration);
				known.add(registered);
			}
		}

	}

}
