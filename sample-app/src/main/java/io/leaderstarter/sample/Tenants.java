package io.leaderstarter.sample;

import java.util.List;

import io.leaderstarter.LeaderContext;
import io.leaderstarter.LeaderElection;
import io.leaderstarter.LeaderElections;
import io.leaderstarter.fencing.jdbc.FencedJdbcTemplate;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Serves each tenant on one node. Tenants are added and removed while the application
 * runs, so each node joins their roles, and leaves those of removed tenants.
 */
@Component
class Tenants {

	private static final String PREFIX = "tenant-";

	private final LeaderElections leaders;

	private final FencedJdbcTemplate jdbc;

	Tenants(LeaderElections leaders, FencedJdbcTemplate jdbc) {
		this.leaders = leaders;
		this.jdbc = jdbc;
	}

	@Scheduled(fixedDelayString = "${sample.pause}")
	void serve() {
		List<String> tenants = this.jdbc.unfenced().queryForList("select name from tenant", String.class);
		this.leaders.all()
			.stream()
			.map(LeaderElection::role)
			.filter((role) -> role.startsWith(PREFIX) && !tenants.contains(role.substring(PREFIX.length())))
			.forEach(this.leaders::leave);
		tenants.forEach((tenant) -> this.leaders.join(PREFIX + tenant).runIfLeader(() -> serve(tenant)));
	}

	private void serve(String tenant) {
		this.jdbc.update("update tenant set served_by = ? where name = ?", LeaderContext.epoch(), tenant);
	}

}
