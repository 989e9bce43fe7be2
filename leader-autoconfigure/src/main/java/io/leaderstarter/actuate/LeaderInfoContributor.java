package io.leaderstarter.actuate;

import java.util.List;
import java.util.Map;

import io.leaderstarter.LeaderElection;
import io.leaderstarter.election.DefaultLeaderElections;

import org.springframework.boot.actuate.info.Info;
import org.springframework.boot.actuate.info.InfoContributor;

/**
 * {@link InfoContributor} that shows this member and the roles that it leads.
 *
 * @since 0.1.0
 */
public class LeaderInfoContributor implements InfoContributor {

	private final DefaultLeaderElections elections;

	/**
	 * Create a new contributor.
	 * @param elections the elections
	 */
	public LeaderInfoContributor(DefaultLeaderElections elections) {
		this.elections = elections;
	}

	@Override
	public void contribute(Info.Builder builder) {
		List<String> leads = this.elections.all()
			.stream()
			.filter(LeaderElection::isLeader)
			.map(LeaderElection::role)
			.toList();
		builder.withDetail("leader", Map.of("member", this.elections.member().id(), "backend",
				this.elections.storeStatus().backend(), "leads", leads));
	}

}
