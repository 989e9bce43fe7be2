package io.leaderstarter.autoconfigure;

import java.time.Duration;
import java.util.Set;

import io.leaderstarter.fencing.FenceSettings;
import io.leaderstarter.jdbc.SchemaSettings;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Configuration properties for fences in the application's databases.
 *
 * @param enabled Whether the application's databases refuse commits of a member whose
 * term is over.
 * @param required Whether a term may begin only if all its fences are raised. If not, a
 * database that was unreachable refuses its writes until the fence there is raised.
 * @param wrapDataSources Whether to check also statements of @LeaderOnly calls that
 * commit by themselves, outside of Spring's transactions. The DataSource beans are
 * wrapped for that.
 * @param dataSources Names of the DataSource beans whose databases are fenced. Defaults
 * to all.
 * @param idleTimeout How long a fenced transaction may be idle before PostgreSQL or
 * MariaDB ends it, from its beginning on; that takes one more statement in each unless
 * tables are guarded. Defaults to leader.lease.ttl, from the beginning if tables are
 * guarded, else from the check before the commit, on PostgreSQL only.
 * @param checkBy How the check of a transaction blocks raises until the commit. Defaults
 * to a lock, or to a write on databases without a specific dialect. Clusters that write
 * on several nodes (Galera, Group Replication) need a write.
 * @param guardedTables Names of tables that refuse all writes without the epoch of the
 * current term, on PostgreSQL, MySQL and MariaDB. Defaults to none.
 * @since 0.1.0
 */
@ConfigurationProperties("leader.fence")
public record LeaderFenceProperties(@DefaultValue("true") boolean enabled, @DefaultValue("true") boolean required,
		@DefaultValue("false") boolean wrapDataSources, @Nullable Set<String> dataSources,
		@Nullable Duration idleTimeout, FenceSettings.@Nullable CheckBy checkBy,
		@DefaultValue Set<String> guardedTables) {

	private static final Duration RAISE_TIMEOUT = Duration.ofSeconds(2);

	private static final Duration SHORTEST_TIMEOUT = Duration.ofMillis(100);

	FenceSettings toSettings(String namespace, Duration ttl, SchemaSettings schema) {
		boolean guards = !this.guardedTables.isEmpty();
		Duration idle = PropertyCheck.atLeast(SHORTEST_TIMEOUT, "leader.fence.idle-timeout",
				(this.idleTimeout != null) ? this.idleTimeout : ttl);
		// A write to a guarded table locks the fence long before the check, and each
		// transaction sends its terms in a statement anyway.
		boolean idleFromBegin = this.idleTimeout != null || guards;
		return new FenceSettings(namespace, null, schema, RAISE_TIMEOUT,
				new FenceSettings.Transactions(idle, idleFromBegin, guards), this.checkBy);
	}

}
