package io.leaderstarter.autoconfigure;

import java.time.Duration;

import io.leaderstarter.backend.jdbc.JdbcLeaseProperties;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Configuration properties for leases in a database.
 *
 * @param pollInterval Shortest time between two polls of roles that other members lead.
 * Polls are rarer if the database notifies members of free roles, or is slow.
 * @since 0.1.0
 */
@ConfigurationProperties("leader.jdbc")
public record LeaderJdbcProperties(@DefaultValue("250ms") Duration pollInterval) {

	/** A shorter one does not speed hand-overs up, but keeps the database busy. */
	private static final Duration SHORTEST_POLL = Duration.ofMillis(10);

	JdbcLeaseProperties toLeaseProperties(LeaderSchemaProperties schema) {
		return new JdbcLeaseProperties(schema.toSettings(),
				PropertyCheck.atLeast(SHORTEST_POLL, "leader.jdbc.poll-interval", this.pollInterval));
	}

}
