package io.leaderstarter.fencing;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import io.leaderstarter.fencing.trigger.FenceTriggers;
import io.leaderstarter.jdbc.JdbcDialect;
import io.leaderstarter.jdbc.LeaderSchemaException;
import io.leaderstarter.jdbc.SchemaInitialization;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * The tables that are guarded by triggers. Each is guarded in every fenced database that
 * has it. It must exist in one of them, or a misspelled name would guard nothing.
 *
 * @param fences all fences
 * @param tables names of the tables
 */
record GuardedTables(Fences fences, List<String> tables) {

	private static final Log logger = LogFactory.getLog(GuardedTables.class);

	void guard() {
		if (this.tables.isEmpty()) {
			return;
		}
		Set<String> missing = new LinkedHashSet<>(this.tables);
		boolean allAsked = true;
		for (Fence fence : this.fences.all()) {
			try {
				missing.removeAll(guard(fence));
			}
			catch (FenceException ex) {
				if (this.fences.required()) {
					throw ex;
				}
				allAsked = false;
				logger.warn("%s. They are guarded when an application starts while the database is reachable"
					.formatted(ex.getMessage()));
			}
		}
		if (!missing.isEmpty() && allAsked) {
			throw new LeaderSchemaException(
					"The tables %s that are to be guarded are in none of the fenced databases %s".formatted(missing,
							this.fences.all().stream().map(Fence::name).toList()),
					"Correct leader.fence.guarded-tables, create the tables before the application starts, or grant this application's user a privilege on them.",
					null);
		}
	}

	private Set<String> guard(Fence fence) {
		try {
			return fence.guard(this.tables);
		}
		catch (IllegalArgumentException ex) {
			throw new LeaderSchemaException(
					"Tables in '%s' cannot be guarded: %s".formatted(fence.name(), ex.getMessage()),
					"Correct leader.fence.guarded-tables or remove it, or leave the database out by leader.fence.data-sources.",
					ex);
		}
		catch (SQLException ex) {
			throw FenceException.unusable("Tables in '%s' cannot be guarded", fence.name(), null, ex);
		}
	}

	/**
	 * Guard those of the tables that exist in a database, unless a migration does that,
	 * and return them.
	 */
	static Set<String> guard(Connection connection, JdbcDialect dialect, FenceSettings settings,
			Collection<String> tables) throws SQLException {
		FenceTriggers triggers = new FenceTriggers(dialect, settings.schema().tablePrefix());
		Set<String> there = new LinkedHashSet<>();
		for (String table : tables) {
			if (triggers.exists(connection, table)) {
				if (settings.schema().initialize() == SchemaInitialization.ALWAYS) {
					triggers.install(connection, table);
				}
				there.add(table);
			}
		}
		return there;
	}

}
