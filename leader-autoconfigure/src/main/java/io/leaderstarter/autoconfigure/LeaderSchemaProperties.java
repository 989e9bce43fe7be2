package io.leaderstarter.autoconfigure;

import java.util.List;

import io.leaderstarter.jdbc.JdbcDialects;
import io.leaderstarter.jdbc.LeaderTable;
import io.leaderstarter.jdbc.SchemaInitialization;
import io.leaderstarter.jdbc.SchemaSettings;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Configuration properties for the tables of leases and fences.
 *
 * @since 0.1.0
 */
@ConfigurationProperties("leader.schema")
public class LeaderSchemaProperties {

	/**
	 * When the tables of leases and fences are created.
	 */
	private SchemaInitialization initialize = SchemaInitialization.ALWAYS;

	/**
	 * Platform of the databases that have these tables. Defaults to what each database
	 * says it is.
	 */
	private @Nullable String platform;

	/**
	 * Prefix of the names of these tables, optionally with a schema and a dot before it.
	 */
	private String tablePrefix = LeaderTable.DEFAULT_PREFIX;

	public SchemaInitialization getInitialize() {
		return this.initialize;
	}

	public void setInitialize(SchemaInitialization initialize) {
		this.initialize = initialize;
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

	SchemaSettings toSettings() {
		String configured = this.platform;
		if (configured != null) {
			PropertyCheck.usable("leader.schema.platform", () -> JdbcDialects.of(configured));
		}
		PropertyCheck.usable("leader.schema.table-prefix", () -> new LeaderTable("lease", this.tablePrefix, List.of()));
		return new SchemaSettings(this.tablePrefix, this.initialize, this.platform);
	}

}
