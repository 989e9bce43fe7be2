package io.leaderstarter.actuate;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

import io.leaderstarter.LeaderElection;
import io.leaderstarter.election.DefaultLeaderElections;
import io.leaderstarter.election.StoreStatus;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;

/**
 * {@link HealthIndicator} for leader election. A member is up whether it leads or not. A
 * store that does not answer is a detail: the member can still serve requests, and must
 * not fall out of the load balancer for it. It is down only if the store lost data or is
 * the wrong one, as an operator has to act.
 *
 * @since 0.1.0
 */
public class LeaderHealthIndicator extends AbstractHealthIndicator {

	private final DefaultLeaderElections elections;

	private final @Nullable Duration outOfServiceAfter;

	/**
	 * Create a new indicator.
	 * @param elections the elections
	 * @param outOfServiceAfter how long the store may be away, or a role without a leader
	 * because its fence cannot be raised, before the member is out of service;
	 * {@code null} for ever
	 */
	public LeaderHealthIndicator(DefaultLeaderElections elections, @Nullable Duration outOfServiceAfter) {
		super("The state of leader election could not be read");
		this.elections = elections;
		this.outOfServiceAfter = outOfServiceAfter;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		StoreStatus store = this.elections.storeStatus();
		builder.status(status(store))
			.withDetail("member", this.elections.member().id())
			.withDetail("leads", roles(LeaderElection::isLeader))
			.withDetail("backend", store.backend())
			.withDetail("backendReachable", store.isReachable());
		List<String> paused = roles(LeaderElection::isPaused);
		if (!paused.isEmpty()) {
			builder.withDetail("paused", paused);
		}
		if (!store.refused().isEmpty()) {
			builder.withDetail("refused", store.refused());
		}
		if (!store.blocked().isEmpty()) {
			Map<String, String> blocked = new TreeMap<>();
			store.blocked().forEach((role, its) -> blocked.put(role, its.reason()));
			builder.withDetail("blocked", blocked);
		}
		if (store.failure() != null) {
			builder.withDetail("backendFailure", store.failure());
		}
	}

	private List<String> roles(Predicate<LeaderElection> predicate) {
		return this.elections.all().stream().filter(predicate).map(LeaderElection::role).toList();
	}

	private Status status(StoreStatus store) {
		if (!store.refused().isEmpty()) {
			return Status.DOWN;
		}
		boolean tooLong = isTooLong(store.failsFor())
				|| store.blocked().values().stream().map(StoreStatus.Blocked::lasts).anyMatch(this::isTooLong);
		return tooLong ? Status.OUT_OF_SERVICE : Status.UP;
	}

	private boolean isTooLong(@Nullable Duration lasts) {
		return this.outOfServiceAfter != null && lasts != null && lasts.compareTo(this.outOfServiceAfter) > 0;
	}

}
