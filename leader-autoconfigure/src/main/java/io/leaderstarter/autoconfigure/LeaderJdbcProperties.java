package io.leaderstarter.autoconfigure;

import java.time.Duration;

import io.leaderstarter.backend.jdbc.JdbcLeaseProperties;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Configuration properties for leases in a database.
 *
 * @since 0.1.0
 */
@ConfigurationProperties("leader.jdbc")
public class LeaderJdbcProperties {

	/** A shorter one makes nobody lead earlier, but keeps the database busy. */
	private static final Duration SHORTEST_POLL = Duration.ofMillis(10);

	/**
	 * Shortest time between two polls of roles that other members lead. Polls are rarer
	 * if the database notifies members of free roles, or is slow.
	 */
	private Duration pollInterval = Duration.ofMillis(250);

	public Duration getPollInterval() {
		return this.pollInterval;
	}

	public void setPollInterval(Duration pollInterval) {
		this.pollInterval = pollInterval;
	}

	JdbcLeaseProperties toLeaseProperties(LeaderSchemaProperties schema) {
		return new JdbcLeaseProperties(schema.toSettings(),
				PropertyCheck.atLeast(SHORTEST_POLL, "leader.jdbc.poll-interval", this.pollInterval));
	}

}
