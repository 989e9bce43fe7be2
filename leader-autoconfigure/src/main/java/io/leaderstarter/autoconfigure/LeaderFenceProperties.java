package io.leaderstarter.autoconfigure;

import java.time.Duration;
import java.util.Set;

import io.leaderstarter.fencing.FenceSettings;
import io.leaderstarter.jdbc.SchemaSettings;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Configuration properties for fences in the application's databases.
 *
 * @since 0.1.0
 */
@ConfigurationProperties("leader.fence")
public class LeaderFenceProperties {

	private static final Duration RAISE_TIMEOUT = Duration.ofSeconds(2);

	private static final Duration SHORTEST_TIMEOUT = Duration.ofMillis(100);

	/**
	 * Whether the application's databases refuse commits of a member whose term is over.
	 */
	private boolean enabled = true;

	/**
	 * Whether a term may begin only if all its fences are raised. If not, a database that
	 * was unreachable refuses its writes until the fence there is raised.
	 */
	private boolean required = true;

	/**
	 * Whether to check also statements of @LeaderOnly calls that commit by themselves,
	 * outside of Spring's transactions. The DataSource beans are wrapped for that.
	 */
	private boolean wrapDataSources;

	/**
	 * Names of the DataSource beans whose databases are fenced. Defaults to all.
	 */
	private @Nullable Set<String> dataSources;

	/**
	 * How long a fenced transaction may be idle before PostgreSQL or MariaDB ends it,
	 * from its beginning on; that takes one more statement in each unless tables are
	 * guarded. Defaults to leader.lease.ttl, from the beginning if tables are guarded,
	 * else from the check before the commit, on PostgreSQL only.
	 */
	private @Nullable Duration idleTimeout;

	/**
	 * How the check of a transaction blocks raises until the commit. Defaults to a lock,
	 * or to a write on databases without a specific dialect. Clusters that write on
	 * several nodes (Galera, Group Replication) need a write.
	 */
	private FenceSettings.@Nullable CheckBy checkBy;

	/**
	 * Names of tables that refuse all writes without the epoch of the current term, on
	 * PostgreSQL, MySQL and MariaDB. Defaults to none.
	 */
	private Set<String> guardedTables = Set.of();

	public boolean isEnabled() {
		return this.enabled;
	}

	public void setEnabled(boolean enabled) {
		this.enabled = enabled;
	}

	public boolean isRequired() {
		return this.required;
	}

	public void setRequired(boolean required) {
		this.required = required;
	}

	public boolean isWrapDataSources() {
		return this.wrapDataSources;
	}

	public void setWrapDataSources(boolean wrapDataSources) {
		this.wrapDataSources = wrapDataSources;
	}

	public @Nullable Set<String> getDataSources() {
		return this.dataSources;
	}

	public void setDataSources(@Nullable Set<String> dataSources) {
		this.dataSources = dataSources;
	}

	public @Nullable Duration getIdleTimeout() {
		return this.idleTimeout;
	}

	public void setIdleTimeout(@Nullable Duration idleTimeout) {
		this.idleTimeout = idleTimeout;
	}

	public FenceSettings.@Nullable CheckBy getCheckBy() {
		return this.checkBy;
	}

	public void setCheckBy(FenceSettings.@Nullable CheckBy checkBy) {
		this.checkBy = checkBy;
	}

	public Set<String> getGuardedTables() {
		return this.guardedTables;
	}

	public void setGuardedTables(Set<String> guardedTables) {
		this.guardedTables = guardedTables;
	}

	FenceSettings toSettings(String namespace, Duration ttl, SchemaSettings schema) {
		Duration idle = this.idleTimeout;
		boolean guards = !this.guardedTables.isEmpty();
		// A write to a guarded table locks the fence long before the check, and each
		// transaction sends its terms in a statement anyway.
		boolean idleFromBegin = idle != null || guards;
		return new FenceSettings(namespace, null, schema, RAISE_TIMEOUT, new FenceSettings.Transactions(
				PropertyCheck.atLeast(SHORTEST_TIMEOUT, "leader.fence.idle-timeout", (idle != null) ? idle : ttl),
				idleFromBegin, guards), this.checkBy);
	}

}
