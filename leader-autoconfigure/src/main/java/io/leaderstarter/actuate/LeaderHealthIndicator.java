package io.leaderstarter.actuate;

import java.util.List;

import io.leaderstarter.LeaderElection;
import io.leaderstarter.election.DefaultLeaderElections;
import io.leaderstarter.election.StoreStatus;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/**
 * Leader and followers are both up. A store that does not answer is a detail: the member
 * can still serve requests, and must not fall out of the load balancer for it. Only if
 * the store lost data or is the wrong one, this is down, as somebody has to act.
 *
 * @since 0.1.0
 */
public class LeaderHealthIndicator extends AbstractHealthIndicator {

	private final DefaultLeaderElections elections;

	/**
	 * Makes the indicator.
	 * @param elections what is looked at
	 */
	public LeaderHealthIndicator(DefaultLeaderElections elections) {
		super("The state of leader election could not be read");
		this.elections = elections;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		StoreStatus store = this.elections.storeStatus();
		List<String> leads = this.elections.all()
			.stream()
			.filter(LeaderElection::isLeader)
			.map(LeaderElection::role)
			.toList();
		builder.status(store.refused().isEmpty() ? Status.UP : Status.DOWN)
			.withDetail("member", this.elections.member().id())
			.withDetail("leads", leads)
			.withDetail("backend", store.backend())
			.withDetail("backendReachable", store.isReachable());
		if (!store.refused().isEmpty()) {
			builder.withDetail("refused", store.refused());
		}
		if (store.failure() != null) {
			builder.withDetail("backendFailure", store.failure());
		}
	}

}
