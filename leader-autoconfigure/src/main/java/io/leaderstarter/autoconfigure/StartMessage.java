package io.leaderstarter.autoconfigure;

import java.util.ArrayList;
import java.util.List;

import io.leaderstarter.LeaderElection;
import io.leaderstarter.election.DefaultLeaderElections;
import io.leaderstarter.election.spi.LeaseStore;

import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * Describes in one sentence the backend, the member and its roles, as many of these are
 * decided by defaults and by the class path.
 *
 * @param elections the elections
 * @param properties the properties of this member
 * @param roles the properties of roles
 * @param environment names the application
 */
record StartMessage(DefaultLeaderElections elections, LeaderProperties properties, RoleProperties roles,
		Environment environment) {

	/** An application may have thousands of roles. */
	private static final int MOST_ROLES = 20;

	/**
	 * Return the text.
	 * @param ready whether the application is ready already
	 */
	String text(boolean ready) {
		List<String> joined = this.elections.all().stream().map(LeaderElection::role).toList();
		List<String> competes = joined.stream().filter(this.elections::isCandidate).toList();
		List<String> other = joined.stream().filter((role) -> !competes.contains(role)).toList();
		StringBuilder text = new StringBuilder("Leader election").append(namespace())
			.append(" by the backend ")
			.append(this.elections.storeStatus().backend())
			.append(location())
			.append(": member ")
			.append(this.elections.member().id());
		if (!competes.isEmpty()) {
			text.append(" competes for ").append(limited(competes)).append(' ').append(when(ready));
		}
		if (!other.isEmpty()) {
			text.append(competes.isEmpty() ? " is no candidate for " : ", and is no candidate for ")
				.append(limited(other))
				.append(this.properties.candidate().enabled() ? "" : " (leader.candidate.enabled=false)");
		}
		return text.append(joined.isEmpty() ? " has no roles so far" : "").toString();
	}

	/**
	 * Return warnings about the configuration.
	 */
	List<String> warnings() {
		List<String> warnings = new ArrayList<>(
				this.roles.warnings(this.elections.all().stream().map(LeaderElection::role).toList()));
		if (LeaseStoreSelector.isLocal(this.properties.backend())) {
			warnings.add("leader.backend=local: this node leads every role without any store. "
					+ "Two nodes with this setting both lead, so it is for development only");
		}
		return warnings;
	}

	private String namespace() {
		String namespace = LeaderAutoConfiguration.findNamespace(this.properties, this.environment);
		return StringUtils.hasText(namespace) ? " in the namespace '%s'".formatted(namespace.strip()) : "";
	}

	private String location() {
		LeaseStore store = this.elections.store();
		String location = (store != null) ? store.location() : "";
		return location.isEmpty() ? "" : " at " + location;
	}

	private String when(boolean ready) {
		LeaderProperties.Candidate candidate = this.properties.candidate();
		if (candidate.start() == LeaderProperties.Start.MANUAL) {
			return "once it is resumed (leader.candidate.start=manual)";
		}
		boolean now = ready || candidate.start() == LeaderProperties.Start.CONTEXT;
		return now ? "from now on" : "when the application is ready";
	}

	private static String limited(List<String> roles) {
		int more = roles.size() - MOST_ROLES;
		return (more <= 0) ? roles.toString() : "%s and %d more".formatted(roles.subList(0, MOST_ROLES), more);
	}

}
