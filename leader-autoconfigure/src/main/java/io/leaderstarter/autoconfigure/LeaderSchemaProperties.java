package io.leaderstarter.autoconfigure;

import java.util.List;

import io.leaderstarter.jdbc.JdbcDialects;
import io.leaderstarter.jdbc.LeaderTable;
import io.leaderstarter.jdbc.SchemaInitialization;
import io.leaderstarter.jdbc.SchemaSettings;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Configuration properties for the tables of leases and fences.
 *
 * @param initialize When the tables of leases and fences are created.
 * @param platform Platform of the databases that have these tables. Defaults to what each
 * database reports.
 * @param tablePrefix Prefix of the names of these tables, optionally with a schema and a
 * dot before it.
 * @since 0.1.0
 */
@ConfigurationProperties("leader.schema")
public record LeaderSchemaProperties(@DefaultValue("always") SchemaInitialization initialize, @Nullable String platform,
		@DefaultValue(LeaderTable.DEFAULT_PREFIX) String tablePrefix) {

	SchemaSettings toSettings() {
		if (this.platform != null) {
			PropertyCheck.usable("leader.schema.platform", () -> JdbcDialects.of(this.platform));
		}
		PropertyCheck.usable("leader.schema.table-prefix", () -> new LeaderTable("lease", this.tablePrefix, List.of()));
		return new SchemaSettings(this.tablePrefix, this.initialize, this.platform);
	}

}
