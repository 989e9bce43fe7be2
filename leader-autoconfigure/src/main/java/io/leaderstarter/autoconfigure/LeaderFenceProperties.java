package io.leaderstarter.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import io.leaderstarter.fencing.FenceSettings;
import io.leaderstarter.jdbc.JdbcDialects;
import io.leaderstarter.jdbc.LeaderTable;
import io.leaderstarter.jdbc.SchemaInitialization;
import io.leaderstarter.jdbc.SchemaSettings;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Configuration properties for fences in the application's databases.
 *
 * @since 0.1.0
 */
@ConfigurationProperties("leader.fence")
public class LeaderFenceProperties {

	private static final Log logger = LogFactory.getLog(LeaderFenceProperties.class);

	private static final Duration RAISE_TIMEOUT = Duration.ofSeconds(2);

	private static final Duration SHORTEST_TIMEOUT = Duration.ofMillis(100);

	/**
	 * Whether to refuse, in the application's databases, what a deposed member still
	 * tries to commit.
	 */
	private boolean enabled = true;

	/**
	 * Whether a term may begin only if its fences are raised. If not, its writes are
	 * refused in a database that was away until the fence there is raised.
	 */
	private boolean required = true;

	/**
	 * Whether to check also what commits by itself within @LeaderOnly calls, outside of
	 * Spring's transactions. The DataSource beans are wrapped for that.
	 */
	private boolean wrapDataSources;

	/**
	 * Names of the DataSource beans whose databases are fenced. Left out, all are.
	 */
	private @Nullable Set<String> dataSources;

	/**
	 * How long one try to raise a fence waits for transactions that hold it up. A server
	 * that does not answer is given a third more.
	 */
	private Duration raiseTimeout = RAISE_TIMEOUT;

	/**
	 * How long a fenced transaction may do nothing until PostgreSQL or MariaDB ends it.
	 * Defaults to leader.lease.ttl.
	 */
	private @Nullable Duration idleTimeout;

	/**
	 * From when on a fenced transaction may be idle only for so long. From its beginning
	 * takes one more statement in each, unless tables are guarded; from its check is for
	 * PostgreSQL only. Left out, begin if tables are guarded, else check.
	 */
	private @Nullable IdleTimeoutFrom idleTimeoutFrom;

	/**
	 * What keeps a raise out between the check of a transaction and its commit. Left out,
	 * a lock, or a write on databases without a dialect of their own. Clusters that write
	 * on several nodes (Galera, Group Replication) need a write.
	 */
	private FenceSettings.@Nullable CheckBy checkBy;

	/**
	 * When the table is created.
	 */
	private SchemaInitialization initializeSchema = SchemaInitialization.ALWAYS;

	/**
	 * What the databases are. Left out, each is asked.
	 */
	private @Nullable String platform;

	/**
	 * Beginning of the table's name, maybe with a schema and a dot before it.
	 */
	private String tablePrefix = LeaderTable.DEFAULT_PREFIX;

	/**
	 * Names of tables that refuse all writes without the epoch that leads, on PostgreSQL,
	 * MySQL and MariaDB. Left out, none does.
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

	public Duration getRaiseTimeout() {
		return this.raiseTimeout;
	}

	public void setRaiseTimeout(Duration raiseTimeout) {
		this.raiseTimeout = raiseTimeout;
	}

	public @Nullable Duration getIdleTimeout() {
		return this.idleTimeout;
	}

	public void setIdleTimeout(@Nullable Duration idleTimeout) {
		this.idleTimeout = idleTimeout;
	}

	public @Nullable IdleTimeoutFrom getIdleTimeoutFrom() {
		return this.idleTimeoutFrom;
	}

	public void setIdleTimeoutFrom(@Nullable IdleTimeoutFrom idleTimeoutFrom) {
		this.idleTimeoutFrom = idleTimeoutFrom;
	}

	public FenceSettings.@Nullable CheckBy getCheckBy() {
		return this.checkBy;
	}

	public void setCheckBy(FenceSettings.@Nullable CheckBy checkBy) {
		this.checkBy = checkBy;
	}

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

	public Set<String> getGuardedTables() {
		return this.guardedTables;
	}

	public void setGuardedTables(Set<String> guardedTables) {
		this.guardedTables = guardedTables;
	}

	FenceSettings toSettings(String namespace, Duration ttl) {
		String asked = this.platform;
		if (asked != null) {
			PropertyCheck.usable("leader.fence.platform", () -> JdbcDialects.of(asked));
		}
		PropertyCheck.usable("leader.fence.table-prefix",
				() -> new LeaderTable("fence", this.tablePrefix, List.of(), "leader.fence"));
		PropertyCheck.atLeast(SHORTEST_TIMEOUT, "leader.fence.raise-timeout", this.raiseTimeout);
		if (this.raiseTimeout.compareTo(ttl) > 0 && !this.raiseTimeout.equals(RAISE_TIMEOUT)) {
			logger
				.warn(("leader.fence.raise-timeout (%d ms) is longer than leader.lease.ttl (%d ms): a transaction that "
						+ "holds the fence up keeps a role without a leader for longer than a crash does. Set it to less")
					.formatted(this.raiseTimeout.toMillis(), ttl.toMillis()));
		}
		Duration idle = (this.idleTimeout != null) ? this.idleTimeout : ttl;
		PropertyCheck.atLeast(SHORTEST_TIMEOUT, "leader.fence.idle-timeout", idle);
		boolean guards = !this.guardedTables.isEmpty();
		// A write to a guarded table locks the fence long before the check, and its terms
		// are told to the database with a statement anyway.
		boolean fromBegin = (this.idleTimeoutFrom != null) ? this.idleTimeoutFrom == IdleTimeoutFrom.BEGIN : guards;
		return new FenceSettings(namespace, null,
				new SchemaSettings(this.tablePrefix, this.initializeSchema, this.platform), this.raiseTimeout,
				new FenceSettings.Transactions(idle, fromBegin, guards), this.checkBy);
	}

	/**
	 * From when on a fenced transaction may be idle only for so long.
	 */
	public enum IdleTimeoutFrom {

		/** From its check, just before it commits. */
		CHECK,

		/** From its beginning, so that a frozen process holds none of its locks. */
		BEGIN

	}

}
