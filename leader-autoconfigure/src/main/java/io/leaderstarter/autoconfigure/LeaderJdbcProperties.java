package io.leaderstarter.autoconfigure;

import java.time.Duration;
import java.util.List;

import io.leaderstarter.backend.jdbc.JdbcLeaseProperties;
import io.leaderstarter.jdbc.JdbcDialects;
import io.leaderstarter.jdbc.LeaderTable;
import io.leaderstarter.jdbc.SchemaInitialization;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Configuration properties for leases in a database.
 *
 * @since 0.1.0
 */
@ConfigurationProperties("leader.jdbc")
public class LeaderJdbcProperties {

	/** What is shorter makes nobody lead earlier, but keeps the database busy. */
	private static final Duration SHORTEST_POLL = Duration.ofMillis(10);

	/**
	 * When the table is created.
	 */
	private SchemaInitialization initializeSchema = SchemaInitialization.ALWAYS;

	/**
	 * What the database is. Left out, the database is asked.
	 */
	private @Nullable String platform;

	/**
	 * Beginning of the table's name, maybe with a schema and a dot before it.
	 */
	private String tablePrefix = LeaderTable.DEFAULT_PREFIX;

	/**
	 * Shortest time between two looks at roles that another member leads. Looks are rarer
	 * where the database tells by itself that a role is free, or is slow.
	 */
	private Duration pollInterval = Duration.ofMillis(250);

	/**
	 * Whether to hear from PostgreSQL at once that a role is free. Takes one more
	 * connection.
	 */
	private boolean listen = true;

	public SchemaInitialization getInitializeSchema() {
		return this.initializeSchema;
	}

	public void setInitializeSchema(SchemaInitialization initializeSchema) {
		this.initializeSchema = initializeSchema;
	}

	public @Nullable String getPlatform() {
		return this.platform;
	}

	public void setPlatform(@Nullable String platform) {
		this.platform = platform;
	}

	public String getTablePrefix() {
		return this.tablePrefix;
	}

	public void setTablePrefix(String tablePrefix) {
		this.tablePrefix = tablePrefix;
	}

	public Duration getPollInterval() {
		return this.pollInterval;
	}

	public void setPollInterval(Duration pollInterval) {
		this.pollInterval = pollInterval;
	}

	public boolean isListen() {
		return this.listen;
	}

	public void setListen(boolean listen) {
		this.listen = listen;
	}

	JdbcLeaseProperties toLeaseProperties() {
		if (this.platform != null) {
			String asked = this.platform;
			PropertyCheck.usable("leader.jdbc.platform", () -> JdbcDialects.of(asked));
		}
		PropertyCheck.usable("leader.jdbc.table-prefix",
				() -> new LeaderTable("lease", this.tablePrefix, List.of(), "leader.jdbc"));
		PropertyCheck.atLeast(SHORTEST_POLL, "leader.jdbc.poll-interval", this.pollInterval);
		return new JdbcLeaseProperties(this.initializeSchema, this.platform, this.tablePrefix, this.pollInterval,
				this.listen);
	}

}
